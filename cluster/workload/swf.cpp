// SPDX-License-Identifier: BSD-3-Clause
// The Standard Workload Format.
// Source: Feitelson, Parallel Workloads Archive: the standard workload format, version 2.2.
#include "workload/logs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::cluster {
namespace {

/// Fields of a line; -1: unknown.
enum field : std::uint8_t {
  number,
  submit_s,
  wait_s,
  run_s,
  processors,
  cpu_s,
  memory,
  requested_processors,
  requested_s,
  requested_memory,
  status,
  user,
  group,
  executable,
  queue,
  partition,
  preceding,
  think_s,
  fields
};

/// "; MaxNodes: 128"
std::pair<std::string, std::string> header_of(std::string_view line) {
  line.remove_prefix(1);
  auto const colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {std::string(base::trimmed(line.substr(0, colon))), std::string(base::trimmed(line.substr(colon + 1)))};
}

/// The number that the text begins with; 0 if there is none.
node_count leading_number(std::string const& text) {
  auto const digits = text.substr(0, text.find_first_not_of("0123456789"));
  node_count read = 0;
  return base::read_number(digits, read) ? read : 0;
}

}  // namespace

workload read_swf(std::string const& text, std::string const& file) {
  workload read{.name = file, .jobs = {}};
  std::map<std::string, std::size_t> left_out;  // why, and how many
  node_count max_nodes = 0, max_processors = 0;
  std::size_t line_number = 0;
  for (std::string const& line : base::lines_of(text)) {
    ++line_number;
    std::string_view const content = base::trimmed(line);
    if (content.empty()) continue;
    if (content.front() == ';') {
      auto const [key, value] = header_of(content);
      if (key == "MaxNodes") max_nodes = leading_number(value);
      if (key == "MaxProcs") max_processors = leading_number(value);
      if (key == "Computer" && !value.empty()) read.name = value;
      continue;
    }
    auto const wrong = [&](std::string const& what) {
      throw config_error(file + ":" + std::to_string(line_number) + ": " + what);
    };
    std::vector<std::string> const words = base::words_of(line);
    if (words.size() != fields)
      wrong("expected the 18 fields of the Standard Workload Format, got " + std::to_string(words.size()));
    std::array<double, fields> of{};
    for (std::size_t f = 0; f < fields; ++f) {
      if (!base::read_number(words[f], of[f]) || !std::isfinite(of[f]))
        wrong("field " + std::to_string(f + 1) + ": expected a number, got " + base::quoted(words[f]));
    }
    double const nodes = of[requested_processors] > 0 ? of[requested_processors] : of[processors];
    if (of[submit_s] < 0) {
      ++left_out["with no time of arrival"];
    } else if (nodes <= 0 || nodes != std::floor(nodes)) {
      ++left_out["with no number of processors"];
    } else if (of[run_s] <= 0) {
      ++left_out[of[status] == 5 ? "cancelled before they ran" : "that ran for no time"];
    } else {
      job one{.name = words[number], .user = of[user] >= 0 ? words[user] : "", .arrival_s = of[submit_s]};
      one.requested = static_cast<node_count>(nodes);
      one.possible = {one.requested};
      one.requested_s = of[requested_s] > 0 ? of[requested_s] : of[run_s];
      one.expected = forecast::rigid(one.requested, of[run_s]);
      read.jobs.push_back(std::move(one));
    }
  }
  read.nodes = max_processors > 0 ? max_processors : max_nodes;
  if (read.nodes > 0) {
    auto const too_many = [&](job const& one) { return one.requested > read.nodes; };
    if (auto const gone = std::erase_if(read.jobs, too_many); gone > 0)
      left_out["that ask for more than the " + std::to_string(read.nodes) + " processors of the machine"] += gone;
  }
  sort_by_arrival(read);
  note_left_out(read, left_out, file);
  return read;
}

}  // namespace ovlp::cluster
