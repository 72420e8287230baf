// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

#include "exchange/handled_counts.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class execution;

/// The groups opened on a node that are not over: how many objects were posted, where the closer is, and how many
/// objects circulate. The group's node is told of its closer, and tells it the total. Of a side group, which has no
/// closer, it is told how many objects have been handled.
///
/// Thread: any.
class group_table {
 public:
  /// `launch`: how often the node has been launched before in this run. `openers`: numbers end with a hash of what
  /// opens the group.
  group_table(node_id node, std::size_t launch, bool openers)
      : openers_(openers),
        numbers_(group_id{node} << group_node_shift |
                 (launch % (std::size_t{1} << (group_node_shift - group_launch_shift))) << group_launch_shift) {}

  /// A new group of a port, opened by `opener`. `name`: of the opener, where numbers end with it.
  struct opened {
    group_id group;
    handled_total* side;  ///< of a side group, until it is over
  };
  opened open(port_definition const& port, thread_address opener, std::uint64_t name);
  /// A number that is unique in the run, for calls. `name`: of what makes it, where numbers end with it.
  group_id number(std::uint64_t name = 0);

  /// Takes one place in the window. If it is full, remembers who waits (to be given by credit) and returns false.
  bool acquire(group_id group, execution& poster);
  /// The index, below `size`, of the thread with the fewest objects in circulation; counts one more there.
  std::size_t least_loaded(group_id group, std::uint32_t place, std::size_t size);
  /// The object of this place, for which a place in the window was acquired or not, could not be posted. Without any
  /// other its group is forgotten.
  void take_back(group_id group, std::uint32_t place, bool acquired);
  /// An object has been handed out. Returns the operation that may post again, if one waits.
  execution* give_back(group_id group, std::uint32_t place);

  /// All objects have been posted. Returns the closer, which is to be told the total, if it is known already.
  std::optional<thread_address> end(group_id group, std::uint64_t count);

  struct closer_answer {
    std::optional<std::uint64_t> total;      ///< known already
    std::optional<thread_address> conflict;  ///< another thread is the closer
    bool unknown = false;                    ///< the group is over
  };
  /// The first object has come to a closer thread.
  closer_answer closer_at(group_id group, thread_address closer);

  /// Of a side group: what follows from a message, or from what happens here.
  struct side_news {
    execution* waiter = nullptr;                          ///< its opener, which waits and may go on
    std::vector<std::pair<node_id, batch_size>> batches;  ///< to be told to those who count
  };
  /// All objects have been posted.
  side_news end_side(group_id group, std::uint64_t count);
  /// So many more have been handled, on that node; 0: what has been added to the group itself has its consequences.
  side_news add_handled(handled const& message, node_id from);
  /// All of them have been handled, of a group that has ended: then it is forgotten. Else remembers who waits.
  bool all_handled(group_id group, execution& poster);
  /// "3 of 10 handled": for messages.
  std::string describe_side(group_id group);

  /// A group is open that this thread opened, and that is to be closed there.
  bool awaits(thread_address opener);
  /// No group is open and none waits for credits.
  bool empty();
  /// What should always hold and does not; empty: all does.
  std::string broken_invariant();

 private:
  struct record {
    std::size_t window = 0;
    std::size_t outstanding = 0;
    bool credited = false;
    bool closed_at_opener = false;
    thread_address opener = {};
    execution* waiter = nullptr;  ///< at the window, or for the end of a side group
    std::unique_ptr<handled_total> side = {};
    std::optional<std::uint64_t> total = {};
    std::optional<thread_address> closer = {};
    std::vector<std::uint32_t> loads = {};    ///< of each target thread, for least_loaded
    std::vector<std::uint32_t> targets = {};  ///< of each place, for least_loaded
  };
  using table = std::unordered_map<group_id, record>;
  static constexpr std::size_t most_ended = 256;
  void forget_if_over(table::iterator at) OVLP_REQUIRES(mutex_);
  static side_news settle(record& of);

  bool const openers_;
  group_id const numbers_;  ///< the upper bits of all
  spin_mutex mutex_;
  std::uint64_t last_number_ OVLP_GUARDED_BY(mutex_) = 0;
  table groups_ OVLP_GUARDED_BY(mutex_);
  /// Groups that ended last, so that an object astray can be reported with both closers.
  std::vector<std::pair<group_id, thread_address>> ended_ OVLP_GUARDED_BY(mutex_);
  std::size_t ended_at_ OVLP_GUARDED_BY(mutex_) = 0;
};

}  // namespace ovlp::OVLP_INLINE_CORE
