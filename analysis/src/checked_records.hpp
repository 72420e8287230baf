// SPDX-License-Identifier: BSD-3-Clause
// The records of a run, and the identities among them; the list of all is in identities.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ovlp/analysis/identities.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::analysis {

inline std::string seconds(double s) { return base::fixed(s, 9) + " s"; }
inline std::string figure(double value) { return base::shortest(value); }

inline std::string node_named(std::uint32_t number) { return "node" + std::to_string(number); }

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

struct kernel_place {
  operation_place at;
  double start_s, end_s, work_s;
};

struct one_call {
  std::optional<double> begin_s, end_s;
};

struct held_time {
  double from_s;
  double to_s = std::numeric_limits<double>::infinity();
};

using thread_key = std::pair<std::uint32_t, std::uint32_t>;  // collection, index

/// Public, for what stands in two files; as identities otherwise.
struct checked_records {
  explicit checked_records(records_seen what) : seen(what) {}

  records_seen seen;
  std::mutex mutex{};

  run_definitions names{};
  std::vector<step_record> steps{};
  std::vector<kernel_place> kernels{};
  std::vector<wait_record> waits{};
  std::vector<post_record> posts{};
  std::vector<send_record> sends{};
  std::vector<delivery_record> deliveries{};
  std::vector<transfer_record> transfers{};
  std::vector<node_record> nodes{};
  std::vector<call_record> call_records{};

  bool simulated() const { return names.backend == "simulated"; }
  /// Times are rounded; clocks of a real run are read one after another.
  double slack_s() const { return (simulated() ? 1e-9 : 1e-4) + 2 * seen.clock_error_s; }
  bool ended(std::uint64_t call) const {
    auto const found = calls.find(call);
    return found != calls.end() && found->second.end_s.has_value();
  }

  std::optional<findings> checked{};                       ///< until another record comes
  bool names_hold = false;                                 ///< made by check
  std::map<std::uint64_t, one_call> calls{};               ///< made by check_calls
  std::map<std::uint32_t, std::vector<held_time>> held{};  ///< made by check_nodes

  bool is_named(operation_place const& at) const {
    return at.node < names.nodes && at.graph < names.graphs.size() &&
           at.operation < names.graphs[at.graph].operations.size() &&
           names.graphs[at.graph].operations[at.operation].collection < names.collections.size();
  }
  std::string operation(operation_place const& at) const {
    return names.graphs[at.graph].name + ": " + names.graphs[at.graph].operations[at.operation].name;
  }
  thread_key thread_of(operation_place const& at) const {
    return {names.graphs[at.graph].operations[at.operation].collection, at.thread};
  }
  std::string thread(operation_place const& at) const {
    auto const [collection, index] = thread_of(at);
    return names.collections.at(collection) + "[" + std::to_string(index) + "] on " + node_named(at.node);
  }
  std::string describe_step(step_record const& r) const {
    return "step of '" + operation(r.at) + "' in " + thread(r.at) + " from " + seconds(r.start_s) + " to " +
           seconds(r.end_s);
  }

  /// As they came, but steps by their ends; kernels without names.
  void hand_on(record_sink& to) const {
    to.begin(names);
    for (node_record const& r : nodes) to.node(r);
    for (call_record const& r : call_records) to.call(r);
    for (kernel_place const& k : kernels) to.kernel({k.at, {}, {}, k.start_s, k.end_s, k.work_s});
    std::vector<step_record> by_end = steps;
    std::ranges::stable_sort(by_end, {}, &step_record::end_s);
    for (step_record const& r : by_end) to.step(r);
    for (post_record const& r : posts) to.post(r);
    for (send_record const& r : sends) to.send(r);
    for (delivery_record const& r : deliveries) to.delivery(r);
    for (transfer_record const& r : transfers) to.transfer(r);
  }

  double capacity_of(std::uint32_t number) const {
    return number < names.capacities.size() ? names.capacities[number] : 0;
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
    for (step_record const& r : steps) {
      auto const lies_across = [&](double at_s) { return r.start_s < at_s && at_s < r.end_s; };
      if (lies_across(from_s) || lies_across(to_s)) sums[r.at.node] += r.work_s;
    }
    return sums;
  }
};

}  // namespace ovlp::analysis
