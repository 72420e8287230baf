// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/machine/platform.hpp>

namespace ovlp::tools {

/// What joins the nodes of a platform, as text for Graphviz. Errors: config_error.
std::string graphviz_of(machine::platform const& on);

}  // namespace ovlp::tools
