// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <ovlp/base/held_nodes.hpp>
#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// An exception of an operation, or the end of the world, on its way to the caller.
struct failure {
  enum class kind_type : std::uint8_t { operation, graph, network, stalled };
  kind_type kind = kind_type::operation;
  std::string type = {};
  std::string text = {};
  std::string operation = {};
  std::string thread = {};
  std::string node = {};
};

// What thread managers tell one another beside data objects. Plain aggregates, walked like data objects.

/// The first object of a group has come to its closer. To the group's node.
struct closer_here {
  group_id group;
  thread_address closer;
  group_id call;  ///< of the main program, for the records
};
/// All objects of the group have been posted. To the closer's node. Of an empty group the closer has seen nothing, so
/// it is told which operation to run and in which enclosing groups.
struct group_total {
  thread_address closer;
  group_id group;
  std::uint64_t count;
  std::uint32_t graph;
  std::uint32_t operation;
  std::vector<frame> enclosing = {};
  std::int32_t iteration = no_iteration;  ///< of an empty group: of its opener when that ended
  std::uint32_t epoch = 0;                ///< of the sender; objects have one, too
};
/// The closer has handed out an object, or the end of its path has handled it. To the group's node.
struct credit {
  group_id group;
  std::uint32_t place;
};
/// So many more objects of a side group have been handled; and the answer, after how many the node shall tell again.
/// handled_counts.hpp.
struct handled {
  enum class what_type : std::uint8_t { told, counts, leaves };
  group_id group;
  std::uint64_t count;
  what_type what;  ///< it begins to count, or leaves and counts no more
};
struct count_in {
  group_id group;
  std::uint64_t batch;
};

// Changes of a collection: asked of node 0, which makes one after another (collection_changes.hpp).

/// `nodes`: where each thread shall live; empty: the collection shall have `count` threads.
struct change_request {
  std::uint64_t request;  ///< number, with the asking node in the upper bits
  std::uint32_t collection;
  std::uint64_t count;
  std::vector<node_id> nodes;
};
/// To the asking node: every node uses the new view, or why not.
struct change_done {
  std::uint64_t request;
  std::string error;
};
/// An iteration has ended: what is to be held from now on? Asked of node 0; and its answer.
struct border_request {
  std::uint64_t request;
  std::int32_t iteration;
  group_id call;  ///< of the main program
};
/// How much work has been done on a node in that call? Asked by node 0; and the answer.
struct work_request {
  group_id call;
};
struct work_answer {
  double work_s;
};
struct border_answer {
  std::uint64_t request;
  bool changes;
  held_nodes hold;  ///< if it changes
  std::string error;
};
/// To node 0: what its answer has changed is done.
struct border_done {};
/// To a thread's node: it shall move.
struct move_thread {
  thread_address thread;
  node_id to;
};
/// To node 0, from the thread's new node.
struct thread_moved {
  thread_address thread;
};
/// To all nodes: where the threads of a collection live from now on.
struct view_update {
  std::uint32_t collection;
  std::uint32_t version;
  std::uint32_t epoch;  ///< changes of collections that have been made, this one included
  std::vector<node_id> nodes;
};
/// To node 0: no object will be routed by an older view. `sent`: objects that were sent from here to each node in
/// epochs as even, or odd, as the one before.
struct view_adopted {
  std::uint32_t collection;
  std::uint32_t version;
  std::vector<std::uint64_t> sent;
};
/// To all nodes: once `expected` objects of such epochs have come from each node, no late ones follow; leaving threads
/// may go.
struct drain {
  std::uint32_t collection;
  std::vector<std::uint64_t> expected;
};
/// To node 0: they have gone.
struct drained {
  std::uint32_t collection;
};
/// To a node without threads: it is to say when it is not needed any more; and its answer.
struct leave {
  std::uint64_t number;
};
struct left {
  std::uint64_t number;  ///< of the leave that it answers
  group_id call;         ///< of the main program, in which it has done this work, of which it tells nothing again
  double work_s;
};

using control = std::variant<closer_here, group_total, credit, handled, count_in, change_request, change_done,
                             border_request, border_answer, border_done, work_request, work_answer, move_thread,
                             thread_moved, view_update, view_adopted, drain, drained, leave, left>;

}  // namespace ovlp::OVLP_INLINE_CORE
