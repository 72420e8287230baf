// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace ovlp::base {

/// Who sees what a module and its libraries define.
enum class symbols : std::uint8_t { local, global };

/// The file of a module of ovlp, a shared library that is loaded when it is asked for. It is looked for where
/// $OVLP_MODULE_DIR says, or where the build and the installation put modules. `what` is for messages, `package` what
/// the module needs to be built; may be empty. Errors: config_error.
std::string module_file(std::string const& what, std::string const& module, std::string const& package);

/// A function of such a module. Errors: config_error.
void* load_module_function(std::string const& what, std::string const& module, std::string const& function,
                           std::string const& package, symbols seen);

template <class Function>
Function* load_module(std::string const& what, std::string const& module, std::string const& function,
                      std::string const& package, symbols seen = symbols::local) {
  return reinterpret_cast<Function*>(load_module_function(what, module, function, package, seen));
}

}  // namespace ovlp::base
