// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/modules.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <ovlp/base/error.hpp>

namespace ovlp::base {
namespace {

std::vector<std::string> directories() {
  if (char const* const given = std::getenv("OVLP_MODULE_DIR")) return {given};  // NOLINT(concurrency-mt-unsafe)
  return {OVLP_MODULE_DIRS};
}

}  // namespace

std::string module_file(std::string const& what, std::string const& module, std::string const& package) {
  std::string tried;
  for (std::string const& directory : directories()) {
    std::string file = directory + "/" + module;
    if (std::filesystem::exists(file)) return file;
    tried += (tried.empty() ? "" : ", ") + file;
  }
  std::string const install = package.empty() ? "" : "install " + package + ", and ";
  throw config_error(what + ": there is no module for it (" + tried + "): " + install + "build ovlp again");
}

void* load_module_function(std::string const& what, std::string const& module, std::string const& function,
                           std::string const& package, symbols seen) {
  std::string const file = module_file(what, module, package);
  void* const loaded = ::dlopen(file.c_str(), RTLD_NOW | (seen == symbols::global ? RTLD_GLOBAL : RTLD_LOCAL));
  void* const found = loaded == nullptr ? nullptr : ::dlsym(loaded, function.c_str());
  if (found == nullptr) throw config_error(what + ": its module cannot be loaded: " + ::dlerror());
  return found;
}

}  // namespace ovlp::base
