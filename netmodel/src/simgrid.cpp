// SPDX-License-Identifier: BSD-3-Clause
#include "ovlp/netmodel/simgrid.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::net {
namespace {

/// $OVLP_MODULE_DIR, or where the build and the installation put modules.
std::vector<std::string> directories() {
  if (char const* const given = std::getenv("OVLP_MODULE_DIR")) return {given};  // NOLINT(concurrency-mt-unsafe)
  return {OVLP_MODULE_DIRS};
}

using maker = simgrid_engine*(simgrid_machine const&);

maker& load_module() {
  std::string tried;
  for (std::string const& directory : directories()) {
    std::string const file = directory + "/ovlp_simgrid.so";
    tried += (tried.empty() ? "" : ", ") + file;
    if (!std::filesystem::exists(file)) continue;
    void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const found = module == nullptr ? nullptr : ::dlsym(module, "ovlp_make_simgrid_engine");
    if (found != nullptr) return *reinterpret_cast<maker*>(found);
    throw config_error(std::string("network model \"simgrid\": its module cannot be loaded: ") + ::dlerror());
  }
  throw config_error("network model \"simgrid\": there is no module for it (" + tried +
                     "): install libsimgrid-dev, and build ovlp again");
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
