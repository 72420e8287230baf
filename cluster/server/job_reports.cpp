// SPDX-License-Identifier: BSD-3-Clause
#include "server/job_reports.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::cluster {

report job_reports::read(std::string const& line) {
  nlohmann::json const content = base::parse_json(line, "its report");
  base::json_object from(content, "its report");
  struct known {
    char const* name;
    report::kind_type value;
  };
  using enum report::kind_type;
  static constexpr std::array kinds{known{"started", started}, known{"border", border}, known{"joined", joined},
                                    known{"released", released}, known{"ended", ended}};
  report made{from.choice("report", kinds).value, from.number("at_s", 0)};
  if (made.at_s < std::exchange(last_s_, made.at_s)) throw config_error("reports a time that goes back");
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
  return made;
}

void job_reports::told(node_count held) {
  for (node_count n = held; n < held_; ++n) nodes_[n].ordered_back = true;
  held_ = held;
}

/// What it computes on others is not what the cluster has accounted for.
void job_reports::join(node_count node) {
  if (node >= held_)
    throw config_error("has node " + std::to_string(node) + " at work, expected those below " + std::to_string(held_) +
                       ": where its threads live must follow held_at_start() and borders");
  if (std::exchange(nodes_[node].at_work, true))
    throw config_error("reports that node " + std::to_string(node) + " joins, which is there");
}

/// Perhaps late: it may have been told since to hold it again.
void job_reports::release(node_count node) {
  if (!std::exchange(nodes_[node].ordered_back, false))
    throw config_error("reports that it releases node " + std::to_string(node) + ", which nobody wants back");
  nodes_[node].at_work = false;
}

}  // namespace ovlp::cluster
