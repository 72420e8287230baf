// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/records/record.hpp>
#include <ovlp/records/sink.hpp>

namespace ovlp::testing {

/// What every export tells of a run, added up; times in nanoseconds. A place is a thread and its node, "workers[2]
/// node1".
struct run_summary {
  std::map<std::string, int> steps_of_operation;  ///< by its name
  std::map<int, int> steps_of_iteration;          ///< 0: of none
  std::map<std::string, int> steps_at;            ///< by place
  std::map<std::string, std::int64_t> busy_ns;    ///< by place
  std::map<std::string, int> kernels;             ///< by name
  std::map<std::string, std::int64_t> kernel_ns;  ///< by name
  std::map<std::string, std::int64_t> waited_ns;  ///< by cause
  int messages = 0;
  std::map<std::string, std::uint64_t> bytes_out, bytes_in;                    ///< by node
  std::map<std::pair<std::string, std::string>, std::uint64_t> bytes_between;  ///< by places; Perfetto has none
};

/// Checks that they are equal.
void compare(run_summary const& read, run_summary const& expected);

/// Keeps a run's records, to add them up by the definitions alone.
class kept_records final : public record_sink {
 public:
  struct kept_kernel {
    kernel_record is;
    std::string name;
  };

  void begin(run_definitions const& of) override { names = of; }
  void step(step_record const& r) override { steps.push_back(r); }
  void kernel(kernel_record const& r) override { kernels.push_back({r, std::string(r.name)}); }
  void wait(wait_record const& r) override { waits.push_back(r); }
  void post(post_record const& r) override { posts.push_back(r); }
  void transfer(transfer_record const& r) override { transfers.push_back(r); }

  run_summary summary() const;
  /// "workers[2] node1"
  std::string place(operation_place const& at) const;
  std::string operation(operation_place const& at) const {
    return names.graphs[at.graph].operations[at.operation].name;
  }

  run_definitions names;
  std::vector<step_record> steps;
  std::vector<kept_kernel> kernels;
  std::vector<wait_record> waits;
  std::vector<post_record> posts;
  std::vector<transfer_record> transfers;
};

/// "node1" of "workers[2] node1".
inline std::string node_of(std::string const& place) { return place.substr(place.rfind(' ') + 1); }

/// Nearest, as exports round.
std::int64_t to_ns(double time_s);

// What readers that are not ours, or that keep to a published grammar, find in an export. Fails the test if something
// is not as the format asks.

run_summary read_perfetto(std::string const& file);
run_summary read_paraver(std::string const& prv);
run_summary read_otf2(std::string const& archive);

}  // namespace ovlp::testing
