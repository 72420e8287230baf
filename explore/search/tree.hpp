// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/moment.hpp"
#include "search/strategy.hpp"

namespace ovlp::explore {

/// All interleavings, one run after another; of those in which only independent choices have changed places, one.
///
///     interleaving_tree tree;
///     bool more = true;
///     while (more) {
///       path_order along(tree.path());
///       noted_order noted(along);
///       program.run(noted);
///       more = tree.next(noted.run());
///     }
///
/// Source: dynamic partial-order reduction (Flanagan, Godefroid, POPL 2005) with source sets and sleep sets (Abdulla,
/// Aronis, Jonsson, Sagonas, POPL 2014). Where that speaks of a process's next step, this has choices, which have names
/// that stay when independent ones change places.
/// Thread: one.
class interleaving_tree {
 public:
  /// `reduces`: else any two choices count as dependent, and all interleavings are run.
  explicit interleaving_tree(bool reduces = true) : reduces_(reduces) {}

  /// Of the next run.
  tree_path path() const;
  /// That run has ended. Returns whether there is another one.
  bool next(moments const& run);

 private:
  struct place {
    explore::moment moment;
    std::vector<std::uint64_t> to_choose;  ///< what has to be chosen here once
    std::vector<asleep> sleeping;
  };

  void take_in(moments const& run);
  void find_races();

  bool const reduces_;
  std::vector<place> places_;
};

}  // namespace ovlp::explore
