// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <ovlp/base/version.hpp>

TEST_CASE("the version has three numbers") {
  const auto version = ovlp::version();
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
  CHECK(version.find_first_not_of("0123456789.") == std::string_view::npos);
}
