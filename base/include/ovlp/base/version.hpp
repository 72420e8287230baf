// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ovlp {

/// The version of the library, as in "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

}  // namespace ovlp
