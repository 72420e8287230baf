// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ovlp::base {

/// 128 random bits in hexadecimal digits. Errors: io_error.
std::string make_secret();
/// Takes the same time wherever the difference is.
bool equal_secrets(std::string const& a, std::string const& b);

}  // namespace ovlp::base
