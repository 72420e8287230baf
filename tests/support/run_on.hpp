// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>

namespace ovlp::testing {

/// Runs `body` in this doctest case with an engine of so many nodes: this process and others that it launches.
///
/// The others are this program with the same case; they skip the case's earlier runs and serve in this one. So `body`
/// builds its graphs itself, from constants, and checks its results after the calls, where only this process comes.
/// A program that uses it takes support/run_on.cpp, which has main().
void run_on(std::size_t nodes, std::vector<std::string> const& options, std::function<void(ovlp::engine&)> const& body);
inline void run_on(std::size_t nodes, std::function<void(ovlp::engine&)> const& body) { run_on(nodes, {}, body); }

/// The same on one node, and on three.
inline void run_on_one_and_three(std::function<void(ovlp::engine&)> const& body) {
  run_on(1, body);
  run_on(3, body);
}

/// What an expression throws, to look at its members.
template <class Error, class Function>
Error thrown_by(Function const& function) {
  try {
    function();
  } catch (Error const& error) {
    return error;
  }
  throw std::logic_error("expected an exception");
}

inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace ovlp::testing
