// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <ovlp/base/held_nodes.hpp>

namespace ovlp {

/// Which nodes a run holds, iteration by iteration. It is read from a file (--plan) or made by the program, and says
/// what is wanted; the program makes the changes, at its borders (here::end_of_iteration).
/// A value. Format of the file: docs/formats/plan.md.
struct plan {
  std::string file;     ///< it was read from; empty: from none
  std::string program;  ///< whose iterations these are, as ovlp::options names it; empty: any
  /// After which iteration what is held; 0: from the start. Numbers of nodes from 1.
  std::map<int, held_nodes> changes;
  std::string advice;  ///< what `ovlp advise` says of it, as JSON; empty: nothing

  /// Errors: io_error; config_error that names file, key, and what was expected.
  static plan read(std::string const& file);
  /// As read() takes it.
  std::string json() const;

  /// What a run of so many nodes holds in an iteration, from 1: all, unless the plan says otherwise.
  held_nodes held_in(int iteration, std::size_t nodes) const;
  /// Errors: config_error that names what is wrong, for another program, or a run of so many nodes.
  void expect(std::string const& application, std::size_t nodes) const;
  /// For a program that knows how many iterations end at a border. Errors: config_error for a change that never comes.
  void expect_borders_to(int last_iteration) const;
};

}  // namespace ovlp
