// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/runtime/internal/borders.hpp>

namespace ovlp::real {

/// What the control socket is told, and what it says, as JSON: docs/formats/control.md. Does not throw.
/// Thread: any.
std::string answer_order(std::string const& line, std::string const& application, borders& at_borders);

}  // namespace ovlp::real
