// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/mailbox.hpp>
#include <ovlp/runtime/internal/order_file.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class dps_thread;

/// What comes to a DPS thread of a node, objects, totals of groups and resumptions of operations, noted in its order,
/// and held back until it is its turn in a given order. What the given order does not know comes at once. Once the
/// thread moves or leaves it is held to no order on this node. Thread: any.
class delivery_order {
 public:
  delivery_order(bool notes, std::vector<std::uint64_t> const& given);

  /// Adds mail to the thread, if it is its turn, and what waited for it. Returns whether the caller now owns the
  /// thread.
  bool add(dps_thread& to, mail_ptr m);
  /// Adds all that is held back, and holds nothing back any more. Returns how much it was.
  std::size_t give_up();
  /// At the end.
  void drop_held();

  struct account {
    std::vector<std::uint64_t> noted;
    std::size_t unknown = 0;  ///< deliveries that the given order does not have
    std::size_t missing = 0;  ///< that it has, and that have not come
  };
  account so_far();

 private:
  struct held_mail {
    std::uint64_t name;
    mail_ptr what;
  };
  static bool has_turn(mail const& m);
  static std::uint64_t structure_of(mail const& m);
  bool add_in_turn(dps_thread& to, mail_ptr m) OVLP_REQUIRES(mutex_);
  bool add_named(dps_thread& to, std::uint64_t name, mail_ptr m) OVLP_REQUIRES(mutex_);
  bool add_first_held(dps_thread& to) OVLP_REQUIRES(mutex_);
  bool add_all_held(dps_thread& to) OVLP_REQUIRES(mutex_);

  bool const notes_;
  mutex mutex_;
  std::unordered_map<std::uint64_t, std::size_t> turn_ OVLP_GUARDED_BY(mutex_);  ///< by name, in the given order
  std::size_t next_ OVLP_GUARDED_BY(mutex_) = 0;
  std::map<std::size_t, held_mail> held_ OVLP_GUARDED_BY(mutex_);                   ///< by turn
  dps_thread* thread_ OVLP_GUARDED_BY(mutex_) = nullptr;                            ///< for which it is held
  std::unordered_map<std::uint64_t, std::uint32_t> times_ OVLP_GUARDED_BY(mutex_);  ///< that a structure has come
  bool over_ OVLP_GUARDED_BY(mutex_) = false;                                       ///< nothing is held back any more
  bool moves_ OVLP_GUARDED_BY(mutex_) = false;                                      ///< nothing is noted any more
  account account_ OVLP_GUARDED_BY(mutex_);
};

/// Those of the DPS threads of a process. Thread: any.
class delivery_orders {
 public:
  /// `given`: of the threads of this process; none: no order is given. `given_up`: called once, when it is.
  explicit delivery_orders(bool notes, std::optional<std::vector<deliveries>> given = {},
                           std::function<void()> given_up = {});

  /// Kept until the end.
  delivery_order& of(std::string const& thread, node_id node);

  /// When nothing else can go on in the run: adds what is held back on a node, and follows no order there any more.
  /// Returns whether there was something.
  bool give_up(node_id node);

  /// Of all: what has been noted, and the sums.
  struct account {
    std::vector<deliveries> noted;
    std::size_t unknown = 0, missing = 0;
  };
  account so_far();

 private:
  using place = std::pair<node_id, std::string>;
  bool const notes_;
  bool const follows_;
  std::function<void()> const given_up_;
  mutex mutex_;
  std::map<place, std::vector<std::uint64_t>> given_ OVLP_GUARDED_BY(mutex_);  ///< to threads that have not come
  std::map<place, delivery_order> orders_ OVLP_GUARDED_BY(mutex_);
  bool told_ OVLP_GUARDED_BY(mutex_) = false;
};

}  // namespace ovlp::OVLP_INLINE_CORE
