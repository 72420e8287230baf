// SPDX-License-Identifier: BSD-3-Clause
// The records of a run, and the identities among them; the list of all is in identities.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/analysis/identities.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/records/names.hpp>

namespace ovlp::analysis {

inline std::string seconds(double s) { return base::fixed(s, 9) + " s"; }
inline std::string figure(double value) { return base::shortest(value); }

/// What is broken, by identity: the first case, and how many there are.
class findings {
 public:
  void add(std::string_view identity, std::string const& where) {
    auto const found = std::ranges::find(all_, identity, &finding::identity);
    if (found == all_.end()) {
      all_.push_back({identity, where, 1});
    } else {
      ++found->count;
    }
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> made;
    for (finding const& f : all_) {
      made.push_back(std::string(f.identity) + ": " + f.first +
                     (f.count > 1 ? " (and " + std::to_string(f.count - 1) + " more)" : ""));
    }
    return made;
  }

 private:
  struct finding {
    std::string_view identity;
    std::string first;
    std::size_t count;
  };
  std::vector<finding> all_;
};

struct one_call {
  std::optional<double> begin_s, end_s;
};

struct held_time {
  double from_s;
  double to_s = std::numeric_limits<double>::infinity();
};

/// Public, for what stands in two files; as identities otherwise.
struct checked_records {
  checked_records(recorded_run const& of, records_seen what) : run(of), seen(what) {
    // A node that shares cores may have all of its own while others leave them.
    for (double const capacity : run.names.capacities) {
      if (capacity > 0) seen.most_speed = std::max(seen.most_speed, seen.shared_cores / capacity);
    }
  }

  recorded_run const& run;
  records_seen seen;

  bool simulated() const { return run.simulated(); }
  /// Times are rounded; clocks of a real run are read one after another.
  double slack_s() const { return (simulated() ? 1e-9 : 1e-4) + 2 * seen.clock_error_s; }
  bool ended(std::uint64_t call) const {
    auto const found = calls.find(call);
    return found != calls.end() && found->second.end_s.has_value();
  }

  std::optional<findings> checked{};
  bool names_hold = false;                                 ///< made by check
  std::map<std::uint64_t, one_call> calls{};               ///< made by check_calls
  std::map<std::uint32_t, std::vector<held_time>> held{};  ///< made by check_nodes

  std::string operation(recorded_run::place const& at) const {
    return run.names.graphs[run.purposes[at.purpose].graph].name + ": " + run.operation(at).name;
  }
  std::string thread(recorded_run::place const& at) const {
    recorded_run::residence const& in = run.residences[at.residence];
    return run.names.collections.at(in.collection) + "[" + std::to_string(in.thread) + "] on " + name_of_node(in.node);
  }
  std::string describe(recorded_run::step const& s) const {
    return "step of '" + operation(s.at) + "' in " + thread(s.at) + " from " + seconds(s.start_s) + " to " +
           seconds(s.end_s);
  }
  std::uint32_t node_of(recorded_run::place const& at) const { return run.residences[at.residence].node; }
  std::uint64_t call_of(recorded_run::place const& at) const { return run.purposes[at.purpose].call; }

  double capacity_of(std::uint32_t number) const {
    return number < run.names.capacities.size() ? run.names.capacities[number] : 0;
  }

  findings const& check();
  bool check_names(findings& found) const;
  void check_nodes(findings& found);
  void check_calls(findings& found);
  void check_steps(findings& found) const;
  void check_threads(findings& found) const;
  void check_kernels(findings& found) const;
  void check_waits(findings& found) const;
  void check_posts(findings& found) const;
  void check_messages(findings& found) const;
  void check_capacity(findings& found) const;

  bool is_held(std::uint32_t number, double from_s, double to_s) const {
    auto const times = held.find(number);
    return times != held.end() && std::ranges::any_of(times->second, [&](held_time const& h) {
             return from_s >= h.from_s - slack_s() && to_s <= h.to_s + slack_s();
           });
  }
  double held_s(std::uint32_t number, double from_s, double to_s) const {
    double sum_s = 0;
    if (auto const times = held.find(number); times != held.end()) {
      for (held_time const& h : times->second)
        sum_s += std::max(0.0, std::min(h.to_s, to_s) - std::max(h.from_s, from_s));
    }
    return sum_s;
  }
  /// By node, the work of steps that lie across an end of a window. It counts as done evenly, so a window may get more
  /// of it than was done there.
  std::map<std::uint32_t, double> across_s(double from_s, double to_s) const {
    std::map<std::uint32_t, double> sums;
    for (recorded_run::step const& s : run.steps) {
      auto const lies_across = [&](double at_s) { return s.start_s < at_s && at_s < s.end_s; };
      if (lies_across(from_s) || lies_across(to_s)) sums[node_of(s.at)] += s.work_s;
    }
    return sums;
  }
};

}  // namespace ovlp::analysis
