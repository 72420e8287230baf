// SPDX-License-Identifier: BSD-3-Clause
// A run as tools for timelines see it: what each thread did, one after another, and the messages between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ovlp/records/names.hpp>
#include <ovlp/records/recorded_run.hpp>

namespace ovlp::exports {

/// Times in nanoseconds, each rounded by itself: of a simulation since its begin, of a real run since its first record.
/// Memory: some 200 bytes a step with a kernel, a wait, a post and a message.
struct timeline {
  /// Those that are called alike, as an operation that a graph repeats, are one.
  struct operation {
    std::string graph, kind, name;
    bool of_mpi = false;  ///< a call of MPI
  };
  struct kernel_name {
    std::string name;
    std::string sizes;  ///< with blanks between
  };
  /// A DPS thread; or "runtime", a node's own, for messages of no thread and where a node has none.
  struct thread {
    std::string name;
  };
  /// A thread on a node on which it has lived.
  struct residence {
    std::uint32_t node;
    std::uint32_t thread;
  };
  struct step {
    std::int64_t begin_ns, end_ns;
    std::uint32_t residence;
    std::uint32_t operation;
    std::int32_t iteration;  ///< 0: none
    std::uint32_t taken;     ///< number of the post whose object it got at its begin; no_post
  };
  struct kernel {
    std::int64_t begin_ns, end_ns;  ///< within its step
    std::uint32_t step;
    std::uint32_t name;
  };
  /// Nothing runs in a thread, and operations are suspended in it: what the one waits for that goes on first.
  struct wait {
    std::int64_t begin_ns, end_ns;
    std::uint32_t residence;
    wait_cause cause;
  };
  struct post {
    std::int64_t at_ns;
    std::uint32_t residence;
  };
  /// An object has gone from a node to another.
  struct message {
    std::int64_t sent_ns, started_ns, arrived_ns;  ///< of a real run started_ns is sent_ns
    std::uint32_t from, to;                        ///< residences
    std::uint64_t bytes;
    // Of MPI
    std::int64_t posted_ns = 0;  ///< the receive began
    std::uint32_t tag = 0;
    std::uint32_t communicator = 0;
  };
  /// What a rank of MPI does with a message at one time.
  enum class mpi_event : std::uint8_t {
    send,
    receive,
    // Of calls that do not block, with what ends them.
    send_begins,
    send_ends,
    receive_begins,
    receive_ends,
  };
  struct mpi_step {
    std::int64_t at_ns;
    std::uint64_t number;   ///< at one instant later ones have higher ones
    std::uint64_t request;  ///< the same of what begins and what ends
    mpi_event is;
    std::uint32_t rank, partner;
    std::uint32_t communicator, tag;
    std::uint64_t bytes;
  };
  static constexpr std::uint32_t no_post = 0xffffffff;

  std::string application;
  std::string reservation;  ///< that the run has failed, or not ended, in a line; empty: neither
  std::uint32_t nodes = 0;
  std::int64_t end_ns = 0;  ///< nothing is later
  std::vector<operation> operations;
  std::vector<kernel_name> kernel_names;
  std::vector<thread> threads;
  std::vector<residence> residences;  ///< by node, then by thread; at least one of each node, but for MPI
  std::vector<step> steps;            ///< by thread, then by time; in a thread they do not overlap
  std::vector<kernel> kernels;        ///< by step, then by time
  std::vector<wait> waits;            ///< by thread, then by time; between steps
  std::vector<post> posts;
  std::vector<message> messages;  ///< by sent_ns, of MPI in the order of the calls
  /// Of a replay of an MPI program, whose first threads are its ranks: members by place. Else none.
  std::vector<std::vector<std::uint32_t>> communicators;
  std::vector<mpi_step> mpi_steps;  ///< by rank, then in the order in which they happened

  bool of_mpi() const { return !communicators.empty(); }
  std::size_t ranks() const { return of_mpi() ? communicators.front().size() : 0; }

  /// What a tool calls the run.
  std::string title() const { return reservation.empty() ? application : application + ": " + reservation; }
  std::uint32_t thread_of(std::uint32_t of_residence) const { return residences[of_residence].thread; }
  std::uint32_t node_of(std::uint32_t of_residence) const { return residences[of_residence].node; }

  // Numbers of all that threads do: operations, kernels by name, then waits by cause.
  std::uint32_t activity(step const& s) const { return s.operation; }
  std::uint32_t activity(kernel const& k) const { return static_cast<std::uint32_t>(operations.size()) + k.name; }
  std::uint32_t activity(wait const& w) const {
    return static_cast<std::uint32_t>(operations.size() + kernel_names.size() + static_cast<std::size_t>(w.cause));
  }
  std::size_t activities() const { return operations.size() + kernel_names.size() + wait_cause_names.size(); }

  /// Calls waiting(wait) and running(step, its kernels) for all of a thread in order of time.
  template <class OfWait, class OfStep>
  void walk(std::uint32_t of_thread, OfWait const& waiting, OfStep const& running) const {
    auto const own_steps = of(of_thread, steps);
    auto left = of(of_thread, waits);
    for (step const& s : own_steps) {
      for (; !left.empty() && left.front().begin_ns < s.begin_ns; left = left.subspan(1)) waiting(left.front());
      running(s, kernels_of(s));
    }
    for (wait const& w : left) waiting(w);
  }

 private:
  template <class Row>
  std::span<Row const> of(std::uint32_t of_thread, std::vector<Row> const& rows) const {
    auto const before = [&](Row const& row, std::uint32_t t) { return thread_of(row.residence) < t; };
    auto const first = std::lower_bound(rows.begin(), rows.end(), of_thread, before);
    return {first, std::lower_bound(first, rows.end(), of_thread + 1, before)};
  }
  std::span<kernel const> kernels_of(step const& s) const {
    auto const number = static_cast<std::uint32_t>(&s - steps.data());
    auto const before = [](kernel const& k, std::uint32_t of) { return k.step < of; };
    auto const first = std::lower_bound(kernels.begin(), kernels.end(), number, before);
    auto last = first;
    while (last != kernels.end() && last->step == number) ++last;
    return {first, last};
  }
};

/// Errors: config_error for times that nanoseconds cannot count.
timeline timeline_of(recorded_run const& run, std::string const& reservation);
/// A sink that keeps a run, and hands it on when it is flushed.
std::unique_ptr<record_sink> make_timeline_sink(std::string const& reservation,
                                                std::function<void(timeline const&)> then);

}  // namespace ovlp::exports
