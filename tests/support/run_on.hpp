// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/engine.hpp>

namespace ovlp::testing {

/// Runs `body` in this doctest case twice: with a real engine of so many nodes, this process and others that it
/// launches, and with a simulated one.
///
/// The others are this program with the same case; they skip the case's earlier runs and serve in this one. So `body`
/// builds its graphs itself, from constants, and checks its results after the calls, where only this process comes.
/// A program that uses it takes support/run_on.cpp, which has main().
using run_body = std::function<void(ovlp::engine_base&)>;
void run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body);
inline void run_on(std::size_t nodes, run_body const& body) { run_on(nodes, {}, body); }

/// For what only real threads and processes do.
void really_run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body);
inline void really_run_on(std::size_t nodes, run_body const& body) { really_run_on(nodes, {}, body); }

/// For what only the simulation does.
void simulate_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body);

/// The same on one node, and on three.
inline void run_on_one_and_three(run_body const& body) {
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
