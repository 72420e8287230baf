// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/mailbox.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class dps_thread;

/// What comes to a DPS thread of a node, objects and resumptions of operations, noted in its order, and held back until
/// it is its turn in a given order. What the given order does not know comes at once. A thread that is to move is held
/// to no order any more. Thread: any.
class delivery_order {
 public:
  delivery_order(bool notes, std::vector<std::uint64_t> const& given);

  /// Adds mail to the thread, if it is its turn, and what waited for it. Returns whether the caller now owns the
  /// thread.
  bool add(dps_thread& to, mail_ptr m);
  /// At the end.
  void drop_held();

  struct account {
    std::vector<std::uint64_t> noted;
    std::size_t unknown = 0;  ///< deliveries that the given order does not have
    std::size_t missing = 0;  ///< that it has, and that have not come
    std::size_t early = 0;    ///< that were let in before their turn, for nothing else went on
  };
  account so_far();

 private:
  struct held_mail {
    std::uint64_t name;
    mail_ptr what;
  };
  bool add_named(dps_thread& to, std::uint64_t name, mail_ptr m) OVLP_REQUIRES(mutex_);
  bool let_in_next(dps_thread& to) OVLP_REQUIRES(mutex_);
  bool let_in_all(dps_thread& to) OVLP_REQUIRES(mutex_);

  bool const notes_;
  mutex mutex_;
  std::unordered_map<std::uint64_t, std::size_t> turn_ OVLP_GUARDED_BY(mutex_);  ///< by name, in the given order
  std::size_t next_ OVLP_GUARDED_BY(mutex_) = 0;
  std::map<std::size_t, held_mail> held_ OVLP_GUARDED_BY(mutex_);                   ///< by turn
  std::unordered_map<std::uint64_t, std::uint32_t> times_ OVLP_GUARDED_BY(mutex_);  ///< that a structure has come
  bool moves_ OVLP_GUARDED_BY(mutex_) = false;
  account account_ OVLP_GUARDED_BY(mutex_);
};

/// Those of the DPS threads of a process. Thread: any.
class delivery_orders {
 public:
  /// Of a DPS thread, as long as it lives on a node.
  struct list {
    std::string thread;  ///< "workers[2]"
    node_id node;
    std::vector<std::uint64_t> comes;
  };

  delivery_orders(bool notes, std::vector<list> given);

  /// Kept until the end.
  delivery_order& of(std::string const& thread, node_id node);

  /// Of all: what has been noted, and the sums.
  struct account {
    std::vector<list> noted;
    std::size_t unknown = 0, missing = 0, early = 0;
  };
  account so_far();

 private:
  using place = std::pair<node_id, std::string>;
  bool const notes_;
  mutex mutex_;
  std::map<place, std::vector<std::uint64_t>> given_ OVLP_GUARDED_BY(mutex_);
  std::map<place, delivery_order> orders_ OVLP_GUARDED_BY(mutex_);
};

}  // namespace ovlp::OVLP_INLINE_CORE
