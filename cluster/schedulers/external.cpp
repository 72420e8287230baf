// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

#include "schedulers/scheduler.hpp"
#include "workload/forecast_json.hpp"

namespace ovlp::cluster {
namespace {

using json = nlohmann::ordered_json;
using seconds = std::chrono::duration<double>;

/// For its end when its input has ended; and for its status when its output has.
constexpr seconds grace{2};

json arrival_of(waiting_job const& one) {
  job const& of = *one.what;
  json made{{"job", one.number},
            {"name", of.name},
            {"user", of.user},
            {"arrival_s", of.arrival_s},
            {"requested", of.requested},
            {"possible", of.possible},
            {"requested_s", of.requested_s},
            {"priority", of.priority},
            {"held", 0}};
  if (of.foreseen()) made["forecast"] = json_of(of.expected);
  return made;
}

json news_of(running_job const& one) {
  return {{"job", one.number},
          {"held", one.held},
          {"target", one.target},
          {"at_border", one.at_border},
          {"iterations", one.iterations},
          {"start_s", one.start_s},
          {"spent_node_s", one.spent_node_s},
          {"measured_efficiency", one.measured_efficiency}};
}

std::uint32_t whole_number(base::json_object& from, std::string const& key) {
  nlohmann::json const& value = from.at(key);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    from.fail(from.path(key), "a whole number from 0 to " + std::to_string(most), value);
  return value.get<std::uint32_t>();
}

order order_of(nlohmann::json const& given, std::string const& where, std::string const& place) {
  struct name_of_kind {
    char const* name;
    order::kind_type value;
  };
  using enum order::kind_type;
  static constexpr std::array kinds{name_of_kind{"start", start}, name_of_kind{"hold", hold}, name_of_kind{"end", end}};
  base::json_object from(given, where, place);
  auto const asked = [&](name_of_kind const& one) { return from.has(one.name); };
  if (std::ranges::count_if(kinds, asked) != 1) from.fail(place, "one of start, hold and end", given);
  name_of_kind const& what = *std::ranges::find_if(kinds, asked);
  order made{what.value, whole_number(from, what.name)};
  if (made.kind != end) made.nodes = whole_number(from, "nodes");
  from.end();
  return made;
}

/// A program of the user's. Of each decision it gets a line, with what is new since the last one, and answers with a
/// line of orders: docs/formats/scheduler.md.
class external final : public scheduler {
 public:
  external(std::string file, double patience_s) : file_(std::move(file)), patience_(patience_s) {
    std::string const where = "scheduler " + file_ + ": ";
    if (base::find_program(file_).empty()) throw config_error(where + "expected a program that can be run, got none");
    try {
      program_.emplace(base::command{.words = {file_}, .talks_on = 0});
    } catch (io_error const& wrong) {
      throw config_error(where + "expected a program that can be run, got none: " + wrong.what());
    }
  }
  external(external const&) = delete;
  external& operator=(external const&) = delete;
  /// It has time to say elsewhere what it has to say of the run.
  ~external() override {
    if (!program_) return;
    program_->hang_up();
    program_->wait(grace);
    program_->kill_group(SIGKILL);
  }

  void decide(known const& now, std::vector<order>& orders) override {
    std::string const where = "scheduler " + file_ + " at " + std::to_string(now.now_s) + " s";
    nlohmann::json const answer = base::parse_json(ask(line_of(now), where), where);
    if (!answer.is_array()) base::json_object(nlohmann::json::object(), where).fail("", "a list of orders", answer);
    for (std::size_t i = 0; i < answer.size(); ++i) {
      orders.push_back(order_of(answer[i], where, "[" + std::to_string(i) + "]"));
      if (orders.back().kind != order::kind_type::start) continue;
      told_.push_back({orders.back().job});
      waiting_.erase(orders.back().job);
    }
  }

 private:
  /// What it has been told of a running job; 0 nodes: that it waits.
  struct state {
    job_number job;
    node_count held = 0, target = 0;
    bool at_border = false;
    bool operator==(state const&) const = default;
  };

  std::string line_of(known const& now) {
    json jobs = json::array(), ended = json::array();
    // Whatever has a higher number than the last one that came is new.
    std::vector<waiting_job const*> come;
    for (waiting_job const& one : now.waiting) {
      if (one.number >= come_) come.push_back(&one);
    }
    std::ranges::sort(come, {}, [](waiting_job const* one) { return one->number; });
    if (!come.empty()) come_ = come.back()->number + 1;
    for (waiting_job const* one : come) {
      jobs.push_back(arrival_of(*one));
      waiting_.insert(one->number);
    }
    if (waiting_.size() != now.waiting.size()) {  // some will never start
      std::set<job_number> wait;
      for (waiting_job const& one : now.waiting) wait.insert(one.number);
      std::erase_if(waiting_, [&](job_number number) {
        if (wait.contains(number)) return false;
        ended.push_back(number);
        return true;
      });
    }
    // Both lists are in the order of starts; some of the first have ended, and each of the second is in it.
    auto one = now.running.begin();
    for (state& last : told_) {
      if (one == now.running.end() || one->number != last.job) {
        ended.push_back(last.job);
        continue;
      }
      state const is{one->number, one->held, one->target, one->at_border};
      if (is != last) jobs.push_back(news_of(*one));
      told_[static_cast<std::size_t>(one - now.running.begin())] = is;
      ++one;
    }
    told_.resize(now.running.size());
    json const line{{"now_s", now.now_s},
                    {"nodes", now.nodes},
                    {"free", now.free},
                    {"jobs", std::move(jobs)},
                    {"ended", std::move(ended)}};
    return line.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  std::string ask(std::string const& question, std::string const& where) {
    std::string line;
    if (program_->has_said_more() && program_->hear(line, seconds(0)) == base::process::heard::line)
      fail(where, "one line of orders, got another: " + base::quoted(line));
    if (!program_->say(question, patience_)) fail_late(where);
    try {
      switch (program_->hear(line, patience_)) {
        case base::process::heard::nothing: fail_late(where);
        case base::process::heard::end: fail(where, "an answer, got none: it " + how_it_ended());
        case base::process::heard::line: break;
      }
    } catch (io_error const&) {
      fail(where, "a line of orders, got one that does not end");
    }
    return line;
  }

  std::string how_it_ended() {
    std::optional<int> const status = program_->wait(grace);
    if (!status) return "has closed its output";
    base::outcome const how{*status, false, {}, program_->err()};
    return "has ended: " + how.complaint();
  }

  [[noreturn]] void fail_late(std::string const& where) {
    base::text_writer expected;
    expected << "an answer within " << patience_.count() << " s, got none";
    fail(where, expected.str());
  }
  /// It may never end: it is not asked to.
  [[noreturn]] void fail(std::string const& where, std::string const& expected) {
    program_.reset();
    throw config_error(where + ": expected " + expected);
  }

  std::string const file_;
  seconds const patience_;
  std::optional<base::process> program_;
  job_number come_ = 0;           ///< it knows of all jobs below this one that have come
  std::set<job_number> waiting_;  ///< that it has been told of, and has not started
  std::vector<state> told_;       ///< of those that ran at the last line, and then those that it has started since
};

}  // namespace

std::unique_ptr<scheduler> make_external(std::string const& file, double patience_s) {
  return std::make_unique<external>(file, patience_s);
}

}  // namespace ovlp::cluster
