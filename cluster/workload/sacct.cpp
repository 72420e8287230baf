// SPDX-License-Identifier: BSD-3-Clause
// Output of Slurm's sacct, with its line of headings.
// Source: Slurm's manual, sacct(1).
#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

#include "workload/logs.hpp"

namespace ovlp::cluster {
namespace {

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto const end = line.find(separator);
    parts.push_back(base::trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    line.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number read{};
  if (!base::read_number(text, read)) return {};
  return read;
}

/// "2024-01-31T12:00:00", in the cluster's own time; or seconds.
std::optional<double> time_of(std::string_view text) {
  if (auto const seconds = number_of<double>(text)) return seconds;
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T') return {};
  auto const part = [&](std::size_t at, std::size_t size) {
    return number_of<int>(text.substr(at, size)).value_or(-1);
  };
  using namespace std::chrono;
  year_month_day const day{year{part(0, 4)}, month{static_cast<unsigned>(part(5, 2))},
                           std::chrono::day{static_cast<unsigned>(part(8, 2))}};
  int const hour = part(11, 2), minute = part(14, 2), second = part(17, 2);
  if (!day.ok() || hour < 0 || minute < 0 || second < 0) return {};
  auto const days_s = duration_cast<seconds>(sys_days(day).time_since_epoch());
  return static_cast<double>(days_s.count() + hour * 3600 + minute * 60 + second);
}

/// "[days-]hours:minutes:seconds".
std::optional<double> duration_of(std::string_view text) {
  double seconds = 0;
  if (auto const dash = text.find('-'); dash != std::string_view::npos) {
    auto const days = number_of<double>(text.substr(0, dash));
    if (!days) return {};
    seconds = *days * 86400;
    text.remove_prefix(dash + 1);
  }
  double clock_s = 0;
  for (std::string_view const part : split(text, ':')) {
    auto const one = number_of<double>(part);
    if (!one) return {};
    clock_s = clock_s * 60 + *one;
  }
  return seconds + clock_s;
}

}  // namespace

workload read_sacct(std::string const& text, std::string const& file) {
  std::vector<std::string> const lines = base::lines_of(text);
  if (lines.empty()) throw config_error(file + ": expected the line of headings of sacct, got nothing");
  char const separator = lines.front().find('|') != std::string::npos ? '|' : ',';
  std::map<std::string, std::size_t, std::less<>> columns;
  for (std::string_view const name : split(lines.front(), separator)) columns.emplace(name, columns.size());
  for (char const* needed : {"JobID", "Submit", "Start", "End", "NNodes"}) {
    if (!columns.contains(needed))
      throw config_error(file + ":1: expected the columns JobID, Submit, Start, End and NNodes of sacct, got no " +
                         needed);
  }
  workload read{.name = file, .jobs = {}};
  std::map<std::string, std::size_t> left_out;  // why, and how many
  for (std::size_t l = 1; l < lines.size(); ++l) {
    if (base::trimmed(lines[l]).empty()) continue;
    std::vector<std::string_view> const parts = split(lines[l], separator);
    auto const wrong = [&](std::string const& what) {
      throw config_error(file + ":" + std::to_string(l + 1) + ": " + what);
    };
    if (parts.size() != columns.size())
      wrong("expected " + std::to_string(columns.size()) + " fields, got " + std::to_string(parts.size()));
    auto const at = [&](std::string_view name) {
      auto const found = columns.find(name);
      return found == columns.end() ? std::string_view() : parts[found->second];
    };
    if (at("JobID").find('.') != std::string_view::npos) continue;  // a step of a job
    auto const submit_s = time_of(at("Submit")), start_s = time_of(at("Start")), end_s = time_of(at("End"));
    auto const nodes = number_of<node_count>(at("NNodes"));
    if (!submit_s) wrong("Submit: expected a time, got " + base::quoted(at("Submit")));
    if (!nodes) wrong("NNodes: expected a number, got " + base::quoted(at("NNodes")));
    if (!start_s || !end_s) {
      ++left_out["that did not start, or have not ended"];
    } else if (*end_s <= *start_s || *nodes == 0) {
      ++left_out["that ran for no time"];
    } else {
      job one{.name = std::string(at("JobID")), .user = std::string(at("User")), .arrival_s = *submit_s};
      one.requested = *nodes;
      one.possible = {*nodes};
      one.requested_s = *end_s - *start_s;
      if (auto const minutes = number_of<double>(at("TimelimitRaw"))) {
        one.requested_s = *minutes * 60;
      } else if (auto const limit_s = duration_of(at("Timelimit")); limit_s && *limit_s > 0) {
        one.requested_s = *limit_s;
      }
      one.expected = forecast::rigid(*nodes, *end_s - *start_s);
      read.jobs.push_back(std::move(one));
    }
  }
  std::ranges::stable_sort(read.jobs, {}, &job::arrival_s);
  note_left_out(read, left_out, file);
  return read;
}

}  // namespace ovlp::cluster
