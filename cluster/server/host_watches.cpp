// SPDX-License-Identifier: BSD-3-Clause
#include "server/host_watches.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/modules.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::cluster {
namespace {

using seconds = std::chrono::duration<double>;

constexpr std::ptrdiff_t most_at_once = 16;  ///< that are being started
constexpr seconds start_patience{15}, patience{30}, silence{10}, usual_pause{0.25}, at_once{0};

}  // namespace

host_watches::host_watches(std::vector<base::host> const& hosts, std::string const& launch_template,
                           std::string const& server)
    : server_(server), watches_(1) {
  std::map<std::string, std::size_t> places;
  for (base::host const& one : hosts) {
    auto const [place, is_new] = places.try_emplace(one.name, watches_.size());
    if (is_new) watches_.push_back({one.name});
    watches_[place->second].hosts.push_back(static_cast<node_count>(of_host_.size()));
    of_host_.push_back(place->second);
  }
  std::size_t started = 0;
  for (;;) {
    base::end_if_interrupted();
    auto const starts = [](watch const& one) { return one.process && !one.ready && one.lost.empty(); };
    while (started < watches_.size() && std::ranges::count_if(watches_, starts) < most_at_once)
      start(watches_[started++], launch_template);
    listen();
    if (started == watches_.size() && std::ranges::none_of(watches_, starts)) return;
    std::this_thread::sleep_for(seconds(0.002));
  }
}

host_watches::~host_watches() {
  for (watch& one : watches_)
    if (one.process) one.process->hang_up();
  auto const until = steady::now() + start_patience;
  for (watch& one : watches_)
    if (one.process && one.lost.empty()) one.process->wait(until - steady::now());
}

void host_watches::start(watch& one, std::string const& launch_template) {
  std::string const program = base::module_file("--real", "ovlp-host", "");
  base::command made;
  made.words = one.name.empty() ? std::vector{program, server_}
                                : base::launch_command(launch_template, one.name, 0, program,
                                                       {server_, base::host_of(one.name).machine()});
  made.talks_on = 0;
  one.since = steady::now();
  try {
    one.process = std::make_unique<base::process>(made);
  } catch (io_error const& wrong) {
    lose(one, wrong.what());
  }
}

void host_watches::listen() {
  auto const is_waited_for = [](watch const& one) { return one.lost.empty() && (!one.ready || !one.asked.empty()); };
  auto const now = steady::now();
  if (now < next_look_ && std::ranges::none_of(watches_, is_waited_for)) return;
  next_look_ = now + std::chrono::duration_cast<steady::duration>(usual_pause);
  for (watch& one : watches_)
    if (one.process && one.lost.empty()) hear(one);
}

void host_watches::hear(watch& one) {
  using heard = base::process::heard;
  std::string line;
  auto last = heard::nothing;
  while ((last = one.process->hear(line, at_once)) == heard::line) {
    one.since = steady::now();
    std::size_t count = 0;
    if (!one.ready && line == "ready") {
      one.ready = true;
    } else if (!one.ready && line.starts_with("taken by ")) {
      throw config_error("--hosts: " + one.name + " is used by another cluster's server (there, by " + line.substr(9) +
                         ")");
    } else if (one.asked.empty() || !base::read_number(line, count)) {
      return lose(one, "its ovlp-host says " + base::quoted(line));
    } else {
      auto const answered = one.answers.find(one.asked.front());
      if (answered != one.answers.end()) answered->second = count;
      one.asked.pop_front();
    }
  }
  seconds const quiet = steady::now() - one.since;
  if (last == heard::end) {
    base::outcome how{one.process->wait(seconds(1)).value_or(0), false, {}, one.process->err()};
    lose(one, how.good() ? "its ovlp-host has ended" : how.complaint());
  } else if (quiet > (one.ready ? patience : start_patience) && (!one.ready || !one.asked.empty())) {
    lose(one, "it has not answered for " + base::fixed(quiet.count(), 0) + " s");
  } else if (one.ready && one.asked.empty() && quiet > silence) {
    ask(one, "look", server_);
  }
}

void host_watches::ask(watch& one, std::string const& what, std::string const& mark) {
  if (one.asked.empty()) one.since = steady::now();
  one.asked.push_back(mark);
  if (!one.process->say(what + " " + mark, at_once)) lose(one, "it does not read what it is asked");
}

void host_watches::lose(watch& one, std::string why) {
  one.lost = std::move(why);
  if (one.process) one.process->kill_group(SIGKILL);
  if (one.name.empty()) throw io_error("what watches this machine is lost: " + one.lost);
}

std::vector<lost_host> host_watches::newly_lost() {
  std::vector<lost_host> made;
  for (watch& one : watches_) {
    if (one.lost.empty() || std::exchange(one.told, true)) continue;
    for (node_count const host : one.hosts) made.push_back({host, one.lost});
  }
  return made;
}

std::optional<std::size_t> host_watches::processes(std::string const& mark, std::set<node_count> const& on, bool kill) {
  std::set<std::size_t> machines{0};
  for (node_count const host : on)
    if (!is_lost(host)) machines.insert(of_host_.empty() ? 0 : of_host_[host]);
  std::size_t found = 0;
  bool all_answered = true;
  for (std::size_t const machine : machines) {
    watch& one = watches_[machine];
    auto const [answer, is_new] = one.answers.try_emplace(mark);
    if (is_new) ask(one, kill ? "kill" : "look", mark);
    all_answered = all_answered && answer->second;
    found += answer->second.value_or(0);
  }
  if (!all_answered) return std::nullopt;
  for (std::size_t const machine : machines) watches_[machine].answers.erase(mark);
  return found;
}

}  // namespace ovlp::cluster
