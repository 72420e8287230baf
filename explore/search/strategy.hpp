// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/choice.hpp"
#include "search/moment.hpp"

namespace ovlp::explore {

/// Says what happens next in one run. Thread: one.
class strategy {
 public:
  /// Returned by choose: this run is not worth going on with.
  static constexpr std::size_t give_up = static_cast<std::size_t>(-1);

  strategy() = default;
  strategy(strategy const&) = delete;
  strategy& operator=(strategy const&) = delete;
  virtual ~strategy() = default;

  /// The place of what happens next among those that may, of which there is one at least. They stand in the order in
  /// which they have become possible, so 0 is the plain order.
  virtual std::size_t choose(std::span<choice const> possible) = 0;
  /// What choose has said has happened, and touched these.
  virtual void happened(std::span<resource const> /*touched*/) {}
};

/// What has waited longest happens first.
class plain_order final : public strategy {
 public:
  std::size_t choose(std::span<choice const>) override { return 0; }
};

/// Any of those that may, each as likely.
class random_order final : public strategy {
 public:
  explicit random_order(std::uint64_t seed) : state_(seed) {}
  std::size_t choose(std::span<choice const> possible) override;

 private:
  std::uint64_t state_;
};

/// Sources have priorities that are drawn, and the highest one that may goes on; at `depth` - 1 places, drawn among
/// `length`, the one that would go on gets the lowest priority instead. Finds an order of `depth` events that does harm
/// with a probability of 1 / (sources * length ^ (depth - 1)) at least.
/// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic guarantees of finding
/// bugs, ASPLOS 2010.
class priority_order final : public strategy {
 public:
  /// `length`: of a run, in choices, about.
  priority_order(std::uint64_t seed, std::size_t depth, std::size_t length);
  std::size_t choose(std::span<choice const> possible) override;

 private:
  std::uint64_t seed_;
  std::size_t made_ = 0;
  std::vector<std::size_t> changes_;                          ///< places that are still to come, descending
  std::unordered_map<std::uint64_t, std::uint64_t> lowered_;  ///< priority of a source, where it is not the one drawn
};

/// The plain order but for these. If all that may happen is held back, what has waited longest happens.
class given_order final : public strategy {
 public:
  explicit given_order(interleaving const& differs);
  std::size_t choose(std::span<choice const> possible) override;
  /// Of `differs`: those of which either event has not happened.
  std::size_t not_come_up() const { return not_come_up_.size(); }

 private:
  std::unordered_set<std::uint64_t> not_come_up_;                    ///< `then`, until both have happened
  std::unordered_map<std::uint64_t, std::uint64_t> held_;            ///< by `then`: `first`
  std::unordered_multimap<std::uint64_t, std::uint64_t> waits_for_;  ///< by `first`: `then`
};

/// Something that need not be chosen, and what it would touch: the runs have been, or will be, made elsewhere.
struct asleep {
  std::uint64_t name;
  std::vector<resource> touched;
};
/// Where in the tree of all interleavings a run goes on from.
struct tree_path {
  std::vector<std::uint64_t> chosen;  ///< at the first moments
  std::vector<asleep> sleeping;       ///< at the last of these moments
  bool reduces = true;                ///< else any two choices count as dependent
};

bool depend(std::span<resource const> a, std::span<resource const> b);
/// Of what is asleep at a moment: what still is when something else has been chosen that touched these.
std::vector<asleep> still_asleep(std::span<asleep const> sleeping, std::uint64_t chosen,
                                 std::span<resource const> touched);

/// Along a path, and then the plain order, but nothing that is asleep: when all is, it gives up.
class path_order final : public strategy {
 public:
  explicit path_order(tree_path path);
  std::size_t choose(std::span<choice const> possible) override;
  void happened(std::span<resource const> touched) override;

 private:
  tree_path path_;
  std::size_t depth_ = 0;
  std::uint64_t chosen_ = 0;  ///< last
};

/// Notes what another strategy chooses.
class noted_order final : public strategy {
 public:
  explicit noted_order(strategy& of) : of_(of) {}
  std::size_t choose(std::span<choice const> possible) override;
  void happened(std::span<resource const> touched) override;
  explore::moments const& run() const { return run_; }

 private:
  strategy& of_;
  explore::moments run_;
};

}  // namespace ovlp::explore
