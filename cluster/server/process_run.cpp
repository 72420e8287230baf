// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "server/running_program.hpp"

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
        given_(nodes),
        nodes_(of.possible.back()),
        next_{report::kind_type::failed, start_s} {
    try {
      program_.emplace(command_of(of, nodes, on));
    } catch (io_error const& wrong) {
      next_ = failure(wrong.what());
      taken_ = false;
    }
  }

  report const& next() override {
    if (!taken_) return next_;
    taken_ = false;
    return next_ = hear();
  }

  void go_on(node_count nodes) override {
    if (next_.kind == report::kind_type::border) {
      for (node_count n = nodes; n < given_; ++n) nodes_[n].ordered_back = true;
      given_ = nodes;
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
    nlohmann::json const content = base::parse_json(line, "its report");
    base::json_object from(content, "its report");
    struct known {
      char const* name;
      report::kind_type value;
    };
    using enum report::kind_type;
    static constexpr std::array kinds{known{"started", started}, known{"border", border}, known{"joined", joined},
                                      known{"released", released}, known{"ended", ended}};
    report made{from.choice("report", kinds).value, begin_s_ + from.number("at_s", 0)};
    if (made.at_s < next_.at_s) throw config_error("reports a time that goes back");
    if (made.kind == border) {
      made.iterations = static_cast<std::uint32_t>(from.count("iteration", 1));
      made.efficiency = from.number("efficiency", 0);
    } else if (made.kind == started) {
      for (node_count const node : from.whole_numbers<node_count>("nodes")) join(node);
    } else if (made.kind != ended) {
      made.from = static_cast<node_count>(from.count("node", 0));
      if (made.from >= nodes_.size())
        throw config_error("reports of a node that it has not: " + std::to_string(made.from));
      made.to = made.from + 1;
      made.kind == joined ? join(made.from) : release(made.from);
    }
    from.end();
    if ((made.kind == started) == std::exchange(started_, true))
      throw config_error("reports a start that is not its first word, or none first");
    if (made.kind != ended) return made;
    base::outcome const how = wait();
    return how.good() ? made : failure(ended_badly(how));
  }

  /// What it computes on others is not what the cluster has accounted for.
  void join(node_count node) {
    if (node >= given_)
      throw config_error("has node " + std::to_string(node) + " at work, expected those below " +
                         std::to_string(given_) + ": where its threads live must follow held_at_start() and borders");
    if (std::exchange(nodes_[node].at_work, true))
      throw config_error("reports that node " + std::to_string(node) + " joins, which is there");
  }
  /// Perhaps late: it may have been told since to hold it again.
  void release(node_count node) {
    if (!std::exchange(nodes_[node].ordered_back, false))
      throw config_error("reports that it releases node " + std::to_string(node) + ", which nobody wants back");
    nodes_[node].at_work = false;
  }

  cluster_description const& on_;
  double const begin_s_;
  node_count given_;  ///< by the last answer
  struct numbered {
    bool at_work = false, ordered_back = false;
  };
  std::vector<numbered> nodes_;  ///< by its number
  std::optional<base::process> program_;
  bool started_ = false;
  bool taken_ = true;
  report next_;  ///< or the last one
};

}  // namespace

std::unique_ptr<running_program> run_process(job const& of, double start_s, node_count nodes,
                                             cluster_description const& on) {
  return std::make_unique<process_run>(of, start_s, nodes, on);
}

}  // namespace ovlp::cluster
