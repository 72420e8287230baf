// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/parameters.hpp>

namespace ovlp::machine {

/// Of what comes again and again: far below what systems do, and long enough that a simulation of it ends.
inline constexpr double least_period_s = 1e-6;
/// Of what others may take of something.
inline constexpr double least_share = 1e-6;

// Values of a section, in the range that their rows of parameters.cpp say. Errors: config_error.

/// `otherwise`: what holds if it is not there, where the row does not know.
double number(base::json_object& from, std::string const& key, std::optional<double> otherwise = {});
std::size_t count(base::json_object& from, std::string const& key);
/// The least that it may be.
double least_of(base::json_object const& from, std::string const& key);

}  // namespace ovlp::machine
