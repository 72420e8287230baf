// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/version.hpp>

namespace ovlp {

// Written once, in CMake's project().
std::string_view version() noexcept { return OVLP_VERSION; }

}  // namespace ovlp
