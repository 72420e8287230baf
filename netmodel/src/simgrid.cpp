// SPDX-License-Identifier: BSD-3-Clause
#include "ovlp/netmodel/simgrid.hpp"

#include <dlfcn.h>

#include <array>
#include <string>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::net {
namespace {

constexpr std::array module_directories{OVLP_MODULE_DIRS};

using maker = simgrid_engine*(simgrid_machine const&);

maker& load_module() {
  void* module = nullptr;
  std::string why;
  for (std::string const directory : module_directories) {
    std::string const file = directory + "/ovlp_simgrid.so";
    module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module != nullptr) break;
    why += "\n  ";
    why += ::dlerror();
  }
  void* const found = module == nullptr ? nullptr : ::dlsym(module, "ovlp_make_simgrid_engine");
  if (found == nullptr)
    throw config_error(
        "network model \"simgrid\": its module cannot be loaded: install libsimgrid-dev, and build ovlp again" + why);
  return *reinterpret_cast<maker*>(found);
}

}  // namespace

simgrid_engine& simgrid_engine::load(simgrid_machine const& machine) {
  static simgrid_machine loaded;
  static simgrid_engine* engine = nullptr;
  static bool failed = false;
  if (engine == nullptr && !failed) {
    maker& make = load_module();
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
