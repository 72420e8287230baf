// SPDX-License-Identifier: BSD-3-Clause
#include "join.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/store/clock_fit.hpp>
#include <ovlp/store/open_run.hpp>

#include "run_recorder.hpp"
#include "schema.hpp"

namespace ovlp {
namespace {

namespace fs = std::filesystem;
using store::clock_correction;

struct part {
  explicit part(std::string const& file) : stored(file), run(stored.load(&damage)) {}

  bool complete() const { return stored.complete() && damage.empty(); }

  stored_run const stored;
  std::string damage{};
  recorded_run run;
};

std::string fact(part const& of, std::string const& name) {
  auto const found = of.stored.about().find(name);
  return found == of.stored.about().end() ? "" : found->second;
}

using parts = std::vector<std::unique_ptr<part>>;
/// An object's way, and how often it went there before.
using message = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

/// Calls function(message, its row) for each object that went over the network.
template <class Function>
void each_message(recorded_run const& run, Function const& function) {
  std::uint32_t times = 0;
  for (std::size_t i = 0; i < run.messages.size() && run.messages[i].object != recorded_run::none; ++i) {
    recorded_run::message const& m = run.messages[i];
    auto const way = [](recorded_run::message const& of) { return std::tie(of.object, of.source, of.destination); };
    times = i > 0 && way(run.messages[i - 1]) == way(m) ? times + 1 : 0;
    object_key const& key = run.objects[m.object].key;
    function(message(key.group, key.place, key.operation, m.source, m.destination, times), m);
  }
}

/// What the messages between a part and those with the run's clock say of its clock.
struct bounds {
  std::vector<store::clock_bound> at_least, at_most;
  std::size_t pairs() const { return std::min(at_least.size(), at_most.size()); }
};

/// Corrects the clocks of those that have another than node 0; first of those that have talked most with the corrected
/// ones. Returns what was done.
nlohmann::json correct_clocks(parts const& all) {
  std::map<message, double> sent, delivered;  // by those whose clock is the run's
  std::vector<part*> others;
  auto const take_times_of = [&](part const& p) {
    each_message(p.run, [&](message const& which, recorded_run::message const& m) {
      if (recorded_run::is_known(m.sent_s)) sent.emplace(which, m.sent_s);
      if (recorded_run::is_known(m.delivered_s)) delivered.emplace(which, m.delivered_s);
    });
  };
  std::string const first = fact(*all.front(), "clock");
  for (auto const& p : all) {
    if (p == all.front() || (!first.empty() && fact(*p, "clock") == first)) {
      take_times_of(*p);
    } else {
      others.push_back(p.get());
    }
  }
  auto const bounds_of = [&](part const& p) {
    bounds found;
    each_message(p.run, [&](message const& which, recorded_run::message const& m) {
      if (auto const at = sent.find(which); recorded_run::is_known(m.delivered_s) && at != sent.end())
        found.at_least.push_back({m.delivered_s, at->second - m.delivered_s});
      if (auto const at = delivered.find(which); recorded_run::is_known(m.sent_s) && at != delivered.end())
        found.at_most.push_back({m.sent_s, at->second - m.sent_s});
    });
    return found;
  };
  auto corrections = nlohmann::json::array();
  while (!others.empty()) {
    std::vector<bounds> known;
    for (part const* p : others) known.push_back(bounds_of(*p));
    auto const most = std::ranges::max_element(known, {}, &bounds::pairs) - known.begin();
    part& next = *others[static_cast<std::size_t>(most)];
    auto& [at_least, at_most] = known[static_cast<std::size_t>(most)];
    clock_correction const by = store::fit_clock(std::move(at_least), std::move(at_most));
    next.run.set_clock([&](double at_s) { return by(at_s); });
    take_times_of(next);
    others.erase(others.begin() + most);
    corrections.push_back(
        {{"node", next.run.names.node}, {"offset_s", by.offset_s}, {"drift", by.drift}, {"error_s", by.error_s}});
  }
  return corrections;
}

/// All processes of a run have the same command line, but one word.
nlohmann::json command_line(std::string const& arguments) {
  nlohmann::json words = nlohmann::json::parse(arguments, nullptr, false);
  if (!words.is_array()) return {};  // damaged
  std::erase(words.get_ref<nlohmann::json::array_t&>(), "--worker");
  return words;
}

void expect_same_run(part const& first, part const& other, std::string const& file) {
  std::string const here = fact(first, "arguments"), there = fact(other, "arguments");
  if (here.empty() || there.empty() || fact(first, "nodes").empty() || fact(other, "nodes").empty())
    return;  // killed before it wrote what it is
  if (command_line(here) != command_line(there) || fact(first, "nodes") != fact(other, "nodes"))
    throw config_error("'" + file + "': a part of another run: expected none beside it");
}

}  // namespace

void join_parts(std::string const& run) {
  std::vector<fs::path> const others = parts_of(run);
  if (others.empty()) return;
  parts all;
  all.push_back(std::make_unique<part>(run));
  for (fs::path const& file : others) {
    all.push_back(std::make_unique<part>(file.string()));
    expect_same_run(*all.front(), *all.back(), file.string());
  }
  if (all.front()->run.names.nodes == 0)
    throw config_error("'" + run +
                       "': expected node 0's part to say what the run is, but it ended before it wrote that; " +
                       std::to_string(others.size()) + " other parts stay as they are");
  run_facts about = all.front()->stored.about();
  about["clocks"] = correct_clocks(all).dump();
  std::string incomplete;
  for (auto const& p : all) {
    if (!p->complete()) incomplete += (incomplete.empty() ? "node" : " node") + std::to_string(p->run.names.node);
  }
  std::string const joined = run + ".joined";
  std::string failure;
  about.erase("complete");
  about.try_emplace(store::outcome_fact, "");  // else it would still run
  if (!incomplete.empty()) about["incomplete"] = incomplete;
  {
    auto const to =
        make_recorder(joined, std::move(about), emitters::one_thread, [&](std::string const& why) { failure = why; });
    run_collector whole;
    for (auto const& p : all) p->run.hand_on(whole);
    recorded_run joined_run = whole.take();
    joined_run.end.reset();  // its facts are there
    joined_run.hand_on(*to);
    if (all.front()->stored.totals_only()) {
      for (auto const& p : all) to->add(p->stored.totals());
    }
    to->flush();
  }
  if (!failure.empty()) {
    fs::remove(joined);
    throw io_error(failure);
  }
  fs::rename(joined, run);
  for (fs::path const& file : others) fs::remove(file);
}

}  // namespace ovlp
