// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/choice.hpp"

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

/// `first` happens before `then`, which the plain order would have taken in its place.
struct exception_to_order {
  std::uint64_t first;
  std::uint64_t then;
  bool operator==(exception_to_order const&) const = default;
};
/// A run as the choices in which it differs from the plain order, in the order in which they are made.
using interleaving = std::vector<exception_to_order>;

/// The plain order but for these. One that does not come up is passed over.
class given_order final : public strategy {
 public:
  explicit given_order(interleaving exceptions);
  std::size_t choose(std::span<choice const> possible) override;

 private:
  interleaving exceptions_;
};

/// Notes what another strategy chooses.
class noted_order final : public strategy {
 public:
  explicit noted_order(strategy& of) : of_(of) {}
  std::size_t choose(std::span<choice const> possible) override;
  void happened(std::span<resource const> touched) override { of_.happened(touched); }

  interleaving const& exceptions() const { return exceptions_; }
  std::vector<std::uint64_t> const& names() const { return names_; }

 private:
  strategy& of_;
  interleaving exceptions_;
  std::vector<std::uint64_t> names_;
};

/// Hashes what another strategy chooses: equal for equal runs.
class hashed_order final : public strategy {
 public:
  explicit hashed_order(strategy& of) : of_(of) {}
  std::size_t choose(std::span<choice const> possible) override;
  void happened(std::span<resource const> touched) override { of_.happened(touched); }
  std::uint64_t hash() const { return hash_; }

 private:
  strategy& of_;
  std::uint64_t hash_ = 0;
};

}  // namespace ovlp::explore
