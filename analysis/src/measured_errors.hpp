// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ovlp::analysis {

/// The text of lab/results/errors.json. Made by cmake/embedded_text.cmake.
char const* measured_errors();

}  // namespace ovlp::analysis
