// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/engine.hpp>

namespace ovlp::testing {

/// Whether the identities that must hold in a run (analysis::identities) are checked in it. Its records are then taken:
/// of several processes those of node 0 only, or of all, which are `stored` for that.
enum class checks : std::uint8_t { identities, stored, none };

/// Runs `body` in this doctest case twice: with a real engine of so many nodes, this process and others that it
/// launches, and with a simulated one.
///
/// The others are this program with the same case; they skip the case's earlier runs and serve in this one. So `body`
/// builds its graphs itself, from constants, and checks its results after the calls, where only this process comes.
/// A program that uses it takes support/run_on.cpp, which has main().
using run_body = std::function<void(ovlp::engine_base&)>;
void run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body,
            checks what = checks::identities);
inline void run_on(std::size_t nodes, run_body const& body) { run_on(nodes, {}, body); }

/// For what only real threads and processes do.
void really_run_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body,
                   checks what = checks::identities);
inline void really_run_on(std::size_t nodes, run_body const& body) { really_run_on(nodes, {}, body); }

/// For what only the simulation does.
void simulate_on(std::size_t nodes, std::vector<std::string> const& options, run_body const& body,
                 checks what = checks::identities);

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
