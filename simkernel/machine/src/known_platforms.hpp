// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace ovlp::machine {

/// The files of platforms/, by name without ".json". Made by cmake/embedded_texts.cmake.
std::map<std::string, char const*> const& known_platforms();

}  // namespace ovlp::machine
