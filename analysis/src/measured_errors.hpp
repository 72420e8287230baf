// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace ovlp::analysis {

/// lab/results/errors.json, by the name "errors". Made by cmake/embedded_texts.cmake.
std::map<std::string, char const*> const& measured_errors();

}  // namespace ovlp::analysis
