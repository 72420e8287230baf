// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// A run as a value: all that it emitted, joined once. What a run meant is computed from this: its path, its
/// efficiencies, its timeline. Numbers of threads, objects, steps and messages are places in the lists here.
///
/// Times in seconds on the run's clock. Of one process of a real run it has what happened there; what others tell is
/// missing. Of a run that failed, too, and of a damaged record: what is missing is `none`, or `unknown_s`, and only
/// what the definitions do not name is left out (`undefined`).
/// Memory: 48 bytes a step, 40 a kernel, 32 a wait, 48 an object, 48 a message, and 40 more where a simulation knows
/// how it crossed the network: 10 million steps, each with an object that was posted, in less than 1 GB; while they are
/// collected up to 2.5.
struct recorded_run {
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr double unknown_s = std::numeric_limits<double>::quiet_NaN();
  static bool is_known(double at_s) { return !std::isnan(at_s); }

  /// A DPS thread, and a node on which it has lived.
  struct residence {
    std::uint32_t collection, thread, node;
    friend auto operator<=>(residence const&, residence const&) = default;
  };
  /// What something was done for.
  struct purpose {
    std::uint64_t call;
    std::uint32_t graph, operation;
    std::int32_t iteration;  ///< 0: none
    friend auto operator<=>(purpose const&, purpose const&) = default;
  };
  struct place {
    std::uint32_t residence, purpose;
  };
  struct step {
    double start_s, end_s, computed_s, work_s;
    place at;
    std::uint32_t input;  ///< the object that it got at its begin; none
  };
  struct kernel {
    double start_s, end_s, work_s;
    place at;
    std::uint32_t name;
    std::uint32_t step;  ///< none: it is missing
  };
  struct kernel_name {
    std::string name;
    std::vector<std::int64_t> sizes;
  };
  struct wait {
    double start_s, end_s;
    place at;
    wait_cause cause;
  };
  /// A data object on its way to an operation, and who posted it.
  struct object {
    object_key key;
    double posted_s = unknown_s;  ///< unknown: nobody posted it (the input of a call, a state), or another process did
    place by{none, none};
    std::uint32_t port = 0;
    std::uint32_t to_thread = 0;
    std::uint32_t to_node = 0;  ///< that had the thread then
    bool was_posted() const { return is_known(posted_s); }
  };
  /// An object, or a notice of the runtime, from a node to another. An object may take the same way several times, when
  /// its thread moves: then they are as many messages, in the order of their times.
  struct message {
    double sent_s, delivered_s;  ///< unknown: another process tells, or it did not happen
    std::uint64_t call;          ///< 0: of none
    std::uint64_t bytes;
    std::uint32_t source, destination;
    std::uint32_t object;    ///< none: a notice
    std::uint32_t crossing;  ///< none: it is not known
  };
  /// How a message crossed the network of a simulation.
  struct crossing {
    double handed_over_s, started_s, latency_s, crossed_s;
    std::uint64_t bytes;
  };
  struct mapping {
    std::uint32_t collection;
    std::vector<std::uint32_t> nodes;
    double at_s;
  };
  struct decision {
    std::int32_t iteration;
    std::size_t nodes;
    std::string reason;
    double at_s;
  };
  struct ending {
    double at_s;
    std::string failure;  ///< empty: it has not failed
    processor_use processors;
  };

  run_definitions names{};
  std::vector<residence> residences;      ///< ascending
  std::vector<purpose> purposes;          ///< in the order in which they came up
  std::vector<kernel_name> kernel_names;  ///< likewise
  std::vector<step> steps;                ///< by DPS thread, then by start and end
  std::vector<kernel> kernels;            ///< by step, then by time; those without a step last
  std::vector<wait> waits;                ///< by DPS thread, then by start
  std::vector<object> objects;            ///< in the order in which they came up
  std::vector<object> posted_again;       ///< which never happens: no two objects are the same
  std::vector<message> messages;          ///< by object, then by time; then notices, by way and time
  std::vector<crossing> crossings;
  std::vector<node_record> nodes;
  std::vector<mapping> mappings;
  std::vector<decision> decisions;
  std::vector<call_record> calls;
  std::vector<mpi_call_record> mpi_calls;
  std::optional<ending> end;
  std::string undefined{};  ///< what a record referred to that the definitions don't have; such records are left out

  bool simulated() const { return names.backend == "simulated"; }
  operation_place place_of(place const& at) const {
    residence const& where = residences[at.residence];
    purpose const& what = purposes[at.purpose];
    return {what.call, where.node, what.graph, what.operation, where.thread, what.iteration};
  }
  bool same_thread(place const& a, place const& b) const {
    residence const &x = residences[a.residence], &y = residences[b.residence];
    return x.collection == y.collection && x.thread == y.thread;
  }
  run_definitions::operation const& operation(place const& at) const {
    purpose const& what = purposes[at.purpose];
    return names.graphs[what.graph].operations[what.operation];
  }
  /// nullptr: it is the result of a call, or a state that moves.
  run_definitions::operation const* receiver(object const& of) const {
    auto const& operations = names.graphs[purposes[of.by.purpose].graph].operations;
    return of.key.operation < operations.size() ? &operations[of.key.operation] : nullptr;
  }
  std::span<kernel const> kernels_of(std::uint32_t step) const;
  std::span<message const> messages_of(std::uint32_t object) const;
  /// The step after which an object was posted: the one of its thread that had ended last; of several that ended then
  /// the first, on which the others depend. none: it is missing.
  std::uint32_t poster(object const& of) const;
  /// Numbers of steps, in the order in which they ended.
  std::vector<std::uint32_t> steps_by_end() const;

  step_record record_of(step const& of) const {
    return {place_of(of.at), of.input == none ? object_key{} : objects[of.input].key,
            of.start_s,      of.end_s,
            of.computed_s,   of.work_s};
  }
  /// As a stored run does: begin() first, one kind of record after another, each in the order of its times.
  void hand_on(record_sink& to) const;
  /// Times on another clock: at(old) is the new one, and keeps their order.
  void set_clock(std::function<double(double)> const& at);
};

/// Collects it. Records may come in any order, from several processes of a run one after another, from several threads
/// at once.
class run_collector : public record_sink {
 public:
  run_collector();
  ~run_collector() override;

  void begin(run_definitions const& names) override;
  void step(step_record const& r) override;
  void kernel(kernel_record const& r) override;
  void wait(wait_record const& r) override;
  void post(post_record const& r) override;
  void send(send_record const& r) override;
  void delivery(delivery_record const& r) override;
  void transfer(transfer_record const& r) override;
  void mpi_call(mpi_call_record const& r) override;
  void node(node_record const& r) override;
  void mapping(mapping_record const& r) override;
  void decision(decision_record const& r) override;
  void call(call_record const& r) override;
  void end(end_record const& r) override;

  /// What has come so far, when no more comes; from then on it collects another run.
  recorded_run take();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp
