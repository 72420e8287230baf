// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <ovlp/runtime/internal/engine.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

namespace ovlp::explore {

/// What the command line of a program says of exploring.
struct exploring {
  int server = -1;           ///< a descriptor, on which requests come and are answered
  std::string interleaving;  ///< a file: the run goes on in this one
  bool asked() const { return server >= 0 || !interleaving.empty(); }
};

/// A run of a program in a world without time (explored_backend). With a server the process becomes one at its first
/// call: each request is a run in a process forked there, so what the program keeps is fresh; the server never returns.
/// Errors: config_error, io_error for what the command line says.
std::unique_ptr<engine_base::implementation> make_explored_run(std::unique_ptr<run_options> options,
                                                               exploring const& how);

}  // namespace ovlp::explore
