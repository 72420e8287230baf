// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "server/job_reports.hpp"

namespace ovlp::cluster {
namespace {

constexpr int link = 3;

base::command command_of(job const& of, node_count nodes, cluster_description const& on) {
  base::command made{.words = of.program, .environment = {{"OVLP_CLUSTER", "fd:" + std::to_string(link)}}};
  std::string const most = std::to_string(of.possible.back());
  for (std::string const& word : {std::string("--nodes"), most, std::string("--hold"), std::to_string(nodes),
                                  std::string("--platform"), on.platform})
    made.words.push_back(word);
  made.talks_on = link;
  return made;
}

/// What it says is taken when it is asked for; until then it is ahead. Its clock begins when its nodes are there.
class process_run final : public running_program {
 public:
  process_run(job const& of, double start_s, node_count nodes, cluster_description const& on)
      : on_(on),
        begin_s_(start_s + on.launch_s),
        said_(nodes, of.possible.back()),
        next_{report::kind_type::failed, start_s} {
    try {
      program_.emplace(command_of(of, nodes, on));
    } catch (io_error const& wrong) {
      next_ = failure(wrong.what());
      taken_ = false;
    }
  }

  report const* next() override {
    if (std::exchange(taken_, false)) next_ = hear();
    return &next_;
  }

  void go_on(hosts_of_job hosts) override {
    if (next_.kind == report::kind_type::border) {
      auto const nodes = static_cast<node_count>(hosts.size());
      said_.told(nodes);
      program_->say(nlohmann::json{{"hold", nodes}}.dump(), seconds(on_.patience_s));
    }
    taken_ = true;
  }

 private:
  using seconds = std::chrono::duration<double>;

  report failure(std::string why) const {
    report made{report::kind_type::failed, next_.at_s};
    made.why = std::move(why);
    return made;
  }

  report hear() {
    std::string line;
    try {
      switch (program_->hear(line, seconds(on_.patience_s))) {
        case base::process::heard::nothing:
          return failure("has reported nothing for " + base::shortest(on_.patience_s) + " s");
        case base::process::heard::end: {
          base::outcome const how = wait();
          return failure(how.good() ? "has ended, and has not said so: it made no call of a graph" : ended_badly(how));
        }
        case base::process::heard::line: break;
      }
      return read(line);
    } catch (std::exception const& wrong) {  // what it says comes from outside
      return failure(base::one_line(wrong.what()));
    }
  }

  /// For its end, once it has nothing more to say.
  base::outcome wait() {
    std::optional<int> const status = program_->wait(seconds(on_.patience_s));
    return {status.value_or(0), !status, {}, program_->err()};
  }

  std::string ended_badly(base::outcome const& how) const {
    if (how.timed_out) return "says no more, but goes on for " + base::shortest(on_.patience_s) + " s";
    return "has ended: " + how.complaint();
  }

  report read(std::string const& line) {
    report made = said_.read(line);
    made.at_s += begin_s_;
    if (made.kind != report::kind_type::ended) return made;
    base::outcome const how = wait();
    return how.good() ? made : failure(ended_badly(how));
  }

  cluster_description const& on_;
  double const begin_s_;
  job_reports said_;
  std::optional<base::process> program_;
  bool taken_ = true;
  report next_;  ///< or the last one
};

}  // namespace

std::unique_ptr<running_program> run_process(job const& of, double start_s, node_count nodes,
                                             cluster_description const& on) {
  return std::make_unique<process_run>(of, start_s, nodes, on);
}

}  // namespace ovlp::cluster
