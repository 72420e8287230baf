// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ovlp {

// What a run emits. Times in seconds on the run's clock, which begins with the simulation, or somewhere; processes of a
// real run on other machines take node 0's when they join, as well as they can. Work in seconds spent in kernels.
// Nodes, collections, graphs and operations are given by their numbers in the definitions; `call` is the call of the
// main program to which something belongs. What a record refers to (std::string_view, std::span) is valid while a sink
// takes it: who keeps records copies that. Records are made only where there is a sink.

/// Names and numbers, before all other records.
struct run_definitions {
  struct operation {
    std::string kind;  ///< leaf, split, merge, stream
    std::string name;
    std::uint32_t collection;  ///< in whose threads it runs
  };
  struct graph {
    std::string name;
    std::vector<operation> operations;
  };
  std::string application;
  std::string backend;  ///< real, simulated
  std::uint32_t nodes;
  std::uint32_t node;  ///< whose records these are; of a simulation 0, and they are of all nodes
  std::vector<std::string> collections;
  std::vector<graph> graphs;
  /// Of each node, cores x speed: cores of the reference kind. Of a real run its cores, and only this node's: 0 of
  /// those that other processes tell.
  std::vector<double> capacities;
  /// Of a replay of an MPI program, whose ranks are the threads of the first collection: the members of each
  /// communicator, by place. Else none.
  std::vector<std::vector<std::uint32_t>> communicators = {};
};

/// Where an operation runs.
struct operation_place {
  std::uint64_t call;
  std::uint32_t node;
  std::uint32_t graph;
  std::uint32_t operation;
  std::uint32_t thread;    ///< index in the operation's collection
  std::int32_t iteration;  ///< 0: none
};

/// A data object on its way to an operation, by its place in its innermost group (of a call, that call). No two of a
/// run have the same.
struct object_key {
  std::uint64_t group = 0;  ///< 0: no object
  std::uint32_t place = 0;
  std::uint32_t operation = 0;  ///< of the receiving graph; beyond those of any graph: the result of a call, or a state

  friend bool operator==(object_key const&, object_key const&) = default;
};

/// One atomic step of an operation has ended.
struct step_record {
  operation_place at;
  object_key input;  ///< what the operation got at its begin: its input, or what wait() gave it; none if it went on
  double start_s;
  double end_s;
  double computed_s;  ///< work and overhead; of a real run CPU time, less than end_s - start_s if it had no core
  double work_s;
};

/// One kernel, before the step that it is part of.
struct kernel_record {
  operation_place at;
  std::string_view name;
  std::span<std::int64_t const> sizes;
  /// As if the kernels of a step came one after another, and what else it computed last, evenly over its time.
  double start_s;
  double end_s;
  double work_s;
  bool is_mean = false;  ///< of others like it (--execution sampled), and tells nothing new of how long they take
};

/// What an operation has waited for, suspended.
enum class wait_cause : std::uint8_t {
  object,     ///< of its groups
  window,     ///< room in the window of a port
  condition,  ///< of wait_until
  call,       ///< the result of a call that it made
  change,     ///< of a collection that it asked for
  handled,    ///< the end of what it has posted on side
};
/// A suspended operation goes on.
struct wait_record {
  operation_place at;
  wait_cause cause;
  double start_s;
  double end_s;
};

/// An operation posts an object, or its result leaves: it has been routed.
struct post_record {
  operation_place at;
  std::uint32_t port;
  object_key object;  ///< for an operation of the same graph
  std::uint32_t to_thread;
  std::uint32_t to_node;  ///< that had the thread then
  double at_s;
};

/// Data objects, and notices of the runtime to itself: where a closer is, totals, credits, changes of collections.
enum class message_kind : std::uint8_t { object, control };

/// A message is handed to the transport.
struct send_record {
  std::uint64_t call;  ///< 0: of none, such as changes of collections
  message_kind kind;
  std::uint32_t source;
  std::uint32_t destination;
  std::size_t bytes;  ///< as the object walk counts them; of a control message 0
  double at_s;
  object_key object;  ///< of a control message none
};
/// A message is delivered: what it costs has been done, and threads know of it.
struct delivery_record {
  message_kind kind;
  std::uint32_t source;
  std::uint32_t destination;
  double at_s;
  object_key object;       ///< of a control message none
  std::uint64_t call = 0;  ///< of an object; else 0. Not stored
};
/// An object's way over the network. Known to a simulation. Objects for one node follow one another down the wire: the
/// latency of one passes while another crosses before it, so it may have been on its way before its send_record.
struct transfer_record {
  std::uint32_t source;
  std::uint32_t destination;
  std::size_t bytes;
  double sent_s;     ///< handed to the transport
  double started_s;  ///< its first byte enters the network
  double latency_s;  ///< from then on until its bandwidth phase; 0: it had waited for longer, or it is not known
  double crossed_s;  ///< its last byte is over
  object_key object;
};

/// Which end of a message a call of MPI is.
enum class message_end : std::uint8_t { send, receive };
/// When something of a call of MPI happened. Numbers count up over all calls of a run, so that what happens at one
/// instant has an order.
struct mpi_moment {
  double at_s;
  std::uint64_t number;
};
/// A call of MPI that sends or receives a message has ended: what it began is over, or was waited for. Of replays; the
/// ends of collective calls are those of their messages.
struct mpi_call_record {
  std::uint64_t message;  ///< the same for both ends
  message_end end;
  std::uint8_t blocks;    ///< 1: the rank did nothing else meanwhile; 0: it went on at once
  std::uint32_t rank;     ///< whose call it is
  std::uint32_t partner;  ///< rank
  std::uint32_t communicator;
  std::int32_t tag;  ///< below 0: of the messages of collective calls
  std::uint64_t bytes;
  mpi_moment begun, ended;
  double arrived_s;  ///< of a receive: when the message was there; of a send as `ended`
};

/// What becomes of a node.
enum class node_change : std::uint8_t {
  launched,  ///< asked for: from now on it is held, whether it does anything or not
  joined,    ///< can be sent to
  released,  ///< is held no more
};
/// A node was asked for, has joined or is given back.
struct node_record {
  std::uint32_t node;
  node_change change;
  double at_s;
};

/// From now on the threads of a collection live on these nodes: by index of thread.
struct mapping_record {
  std::uint32_t collection;
  std::span<std::uint32_t const> nodes;
  double at_s;
};

/// At the end of an iteration it has been decided what the run shall hold from then on.
struct decision_record {
  std::int32_t iteration;
  std::size_t nodes;
  std::string_view reason;
  double at_s;
};

/// A call of the main program begins, or has its result.
struct call_record {
  std::uint64_t call;
  std::uint32_t graph;
  bool begins;
  double at_s;
};

/// The processes of a real run, added up, for as long as they were part of it.
struct processor_use {
  double cpu_s = 0;     ///< that they used; 0: not known
  double waited_s = 0;  ///< for which threads of theirs had something to do, and others had the processor

  void add(processor_use const& other) {
    cpu_s += other.cpu_s;
    waited_s += other.waited_s;
  }
};

/// That threads waited so long that times are longer than they would be alone, in a line; empty: they did not.
std::string warning_of(processor_use const& by);

/// The run has ended.
struct end_record {
  double at_s;
  std::string_view failure;  ///< why it has failed, in a line; empty: it has not
  processor_use processors;
};

}  // namespace ovlp

template <>
struct std::hash<ovlp::object_key> {
  std::size_t operator()(ovlp::object_key const& key) const noexcept {
    // Each bit of the key changes the low bits, by which tables choose a place: those of a group differ in `place`.
    std::uint64_t mixed = (std::uint64_t{key.place} << 32 | key.operation) + key.group * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93U;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};
