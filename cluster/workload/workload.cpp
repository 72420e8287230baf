// SPDX-License-Identifier: BSD-3-Clause
#include "workload/workload.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "workload/forecast_json.hpp"
#include "workload/logs.hpp"

namespace ovlp::cluster {
namespace {

using json = nlohmann::ordered_json;

std::vector<std::string> const given_by_cluster{"--nodes",  "--hold",  "--platform", "--plan",
                                                "--policy", "--hosts", "--launch",   "--listen"};

/// Of a file that gzip has made, or of a plain one.
std::string read_gzip(std::string const& file) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> from(gzopen(file.c_str(), "rb"), gzclose);
  if (!from) throw config_error(file + ": cannot be read");
  std::string text;
  char part[1 << 16];
  for (int size = 0; (size = gzread(from.get(), part, sizeof part)) != 0;) {
    if (size < 0) throw config_error(file + ": expected what gzip has made");
    text.append(part, static_cast<std::size_t>(size));
  }
  if (gzclose(from.release()) != Z_OK)
    throw config_error(file + ": expected what gzip has made, but it ends too early");
  return text;
}

/// Numbers of nodes: one, or `requested` with `possible` ones, or with `least` and `most`.
void read_nodes(base::json_object& from, job& to) {
  if (from.at("nodes").is_number()) {
    to.requested = static_cast<node_count>(from.count("nodes", 1));
    to.possible = {to.requested};
    return;
  }
  base::json_object nodes = from.object("nodes");
  to.requested = static_cast<node_count>(nodes.count("requested", 1));
  if (nodes.has("possible")) {
    to.possible = nodes.whole_numbers<node_count>("possible", 1);
    std::ranges::sort(to.possible);
  } else {
    auto const least = static_cast<node_count>(nodes.count("least", 1, to.requested));
    auto const most = static_cast<node_count>(nodes.count("most", least, to.requested));
    to.possible = numbers_between(least, most);
  }
  to.possible.insert(std::ranges::lower_bound(to.possible, to.requested), to.requested);
  to.possible.erase(std::unique(to.possible.begin(), to.possible.end()), to.possible.end());
  nodes.end();
}

/// Of our own, or that an advice has made (docs/formats/plan.md).
forecast read_forecast(base::json_object from, job& of) {
  auto const change_s = from.number("change_s", 0, 0.0);
  std::vector<std::vector<double>> time_s;
  if (from.has("nodes")) of.possible = from.whole_numbers<node_count>("nodes", 1);
  for (auto const& row : from.at("time_s")) {
    bool const times =
        row.is_array() && std::ranges::all_of(row, [](nlohmann::json const& one) { return one.is_number(); });
    if (!times) from.fail(from.path("time_s"), "a list of times for each number of nodes", row);
    time_s.push_back(row.get<std::vector<double>>());
  }
  std::size_t const listed = time_s.empty() ? 1 : std::max<std::size_t>(1, time_s.front().size());
  auto const iterations = static_cast<std::uint32_t>(from.count("iterations", 1, listed));
  from.end();
  try {
    return {of.possible, std::move(time_s), iterations, change_s};
  } catch (config_error const& wrong) {
    from.fail(from.path("time_s"), std::string("what fits the rest (") + wrong.what() + ")", from.at("time_s"));
  }
}

/// A command, whose options for the run itself are the cluster's to give.
std::vector<std::string> read_program(base::json_object& from) {
  auto words = from.texts("program");
  nlohmann::json const& given = from.at("program");
  if (words.empty()) from.fail(from.path("program"), "a list of a program and its arguments", given);
  for (std::string const& word : words) {
    if (std::ranges::find(given_by_cluster, word.substr(0, word.find('='))) != given_by_cluster.end())
      from.fail(from.path("program"), "none of " + base::joined(given_by_cluster) + ", which the cluster gives", given);
  }
  if (base::find_program(words.front()).empty()) from.fail(from.path("program"), "a program that can be run", given);
  return words;
}

job read_job(base::json_object from) {
  job read{.name = from.text("name")};
  if (from.has("user")) read.user = from.text("user");
  read.arrival_s = from.number("arrival_s", 0);
  if (from.has("priority")) read.priority = static_cast<int>(from.number("priority", -1e6));
  read_nodes(from, read);
  if (from.has("program")) read.program = read_program(from);
  if (from.has("real_program")) {
    read.real_program = from.text("real_program");
    if (read.program.empty())
      from.fail(from.path("real_program"), "it beside \"program\", which has the arguments", from.at("real_program"));
  }
  if (from.has("forecast")) {
    read.expected = read_forecast(from.object("forecast"), read);
    if (!read.expected.place_of(read.requested))
      from.fail(from.path("forecast"), "times for the requested number of nodes", from.at("nodes"));
  } else if (!read.program.empty()) {
    read.expected = forecast::rigid(read.requested, from.number("requested_s", 0));
  } else {
    double const time_s = from.number("time_s", 0);
    if (read.malleable()) from.fail(from.path("nodes"), "one number for a job with time_s", from.at("nodes"));
    read.expected = forecast::rigid(read.requested, time_s);
  }
  read.requested_s = from.number("requested_s", 0, read.time_s());
  from.end();
  return read;
}

workload read_json(std::string const& file) {
  nlohmann::json const all = base::read_json(file);
  base::json_object from(all, file);
  workload read{.name = from.text("workload"), .jobs = {}};
  read.nodes = static_cast<node_count>(from.count("nodes", 0, 0));
  read.ends_jobs = from.flag("ends_jobs", false);
  for (base::json_object& one : from.objects("jobs")) {
    if (read.ends_jobs) one.at("requested_s");  // at which it is ended
    read.jobs.push_back(read_job(one));
  }
  from.end();
  sort_by_arrival(read);
  return read;
}

json json_of(job const& of) {
  json made{{"name", of.name}};
  if (!of.user.empty()) made["user"] = of.user;
  made["arrival_s"] = of.arrival_s;
  if (of.priority != 0) made["priority"] = of.priority;
  if (of.malleable()) {
    made["nodes"] = {{"requested", of.requested}, {"possible", of.possible}};
  } else {
    made["nodes"] = of.requested;
  }
  made["requested_s"] = of.requested_s;
  forecast const& expected = of.expected;
  if (!of.program.empty()) {
    made["program"] = of.program;
    if (!of.real_program.empty()) made["real_program"] = of.real_program;
    bool const nothing_known = expected.nodes().size() == 1 && expected.iterations() == 1;
    if (nothing_known && of.time_s() == of.requested_s) return made;
  }
  if (of.program.empty() && !of.malleable() && expected.iterations() == 1) {
    made["time_s"] = expected.rest_s(0, 0);
    return made;
  }
  made["forecast"] = json_of(expected);
  return made;
}

}  // namespace

nlohmann::ordered_json json_of(forecast const& of) {
  json made{{"iterations", of.iterations()}, {"change_s", of.change_s()}, {"nodes", of.nodes()}};
  for (std::size_t i = 0; i < of.nodes().size(); ++i) {
    std::vector<double> row;
    for (std::uint32_t k = 1; k <= (of.equal() ? 1 : of.iterations()); ++k) row.push_back(of.time_s(i, k));
    made["time_s"].push_back(row);
  }
  return made;
}

std::vector<node_count> numbers_between(node_count least, node_count most) {
  std::vector<node_count> all{least};
  for (std::uint64_t next = 1; next < most; next *= 2) {
    if (next > least) all.push_back(static_cast<node_count>(next));
  }
  if (most > least) all.push_back(most);
  return all;
}

void sort_by_arrival(workload& of) {
  if (std::ranges::is_sorted(of.jobs, {}, &job::arrival_s)) return;
  std::ranges::stable_sort(of.jobs, {}, &job::arrival_s);
  of.notes.emplace_back("jobs are not in the order of their arrival: sorted");
}

void note_left_out(workload& of, std::map<std::string, std::size_t> const& left_out, std::string const& file) {
  for (auto const& [why, how_many] : left_out)
    of.notes.push_back("left out " + std::to_string(how_many) + " jobs " + why);
  if (of.jobs.empty()) throw config_error(file + ": expected jobs, got none");
}

workload read_workload(std::string const& file) {
  workload read = file.ends_with(".swf") || file.ends_with(".swf.gz") ? read_swf(read_gzip(file), file)
                  : file.ends_with(".csv") || file.ends_with(".txt")  ? read_sacct(base::read_file(file), file)
                                                                      : read_json(file);
  for (job const& one : read.jobs) {
    for (std::string const& text : {one.name, one.user})
      if (base::one_line(text) != text)
        throw config_error(file + ": expected names without control characters, got " +
                           base::quoted(base::one_line(text)));
  }
  return read;
}

std::string workload_text(workload const& of) {
  json made{{"workload", of.name}, {"nodes", of.nodes}, {"ends_jobs", of.ends_jobs}};
  made["jobs"] = json::array();
  for (job const& one : of.jobs) made["jobs"].push_back(json_of(one));
  return base::json_text(made) + "\n";
}

}  // namespace ovlp::cluster
