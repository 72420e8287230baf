// SPDX-License-Identifier: BSD-3-Clause
#include "ovlp/netmodel/simgrid.hpp"

#include <ovlp/base/error.hpp>
#include <ovlp/base/modules.hpp>

namespace ovlp::net {
namespace {

using maker = simgrid_engine*(simgrid_machine const&);

}  // namespace

simgrid_engine& simgrid_engine::load(simgrid_machine const& machine) {
  static simgrid_machine loaded;
  static simgrid_engine* engine = nullptr;
  static bool failed = false;
  if (engine == nullptr && !failed) {
    auto* const make = base::load_module<maker>("network model \"simgrid\"", "ovlp_simgrid.so",
                                                "ovlp_make_simgrid_engine", "libsimgrid-dev");
    failed = true;
    engine = make(machine);
    failed = false;
    loaded = machine;
  }
  if (failed || loaded != machine)
    throw config_error("network model \"simgrid\": a process simulates one machine with SimGrid: run another process");
  return *engine;
}

}  // namespace ovlp::net
