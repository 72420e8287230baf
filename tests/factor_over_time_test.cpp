// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/netmodel/factor_over_time.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <vector>

using ovlp::net::factor_over_time;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("a factor is 1 until its first step, and holds from each step to the next") {
  factor_over_time const f({{1, 0.5}, {3, 4}});
  CHECK(f.at(-infinity) == 1);
  CHECK(f.at(0.5) == 1);
  CHECK(f.at(1) == 0.5);
  CHECK(f.at(2.9) == 0.5);
  CHECK(f.at(3) == 4);
  CHECK(f.at(1e9) == 4);
  CHECK(f.least() == 0.5);
}

TEST_CASE("the next change is the first step that is later") {
  factor_over_time const f({{1, 0.5}, {3, 4}});
  CHECK(f.next_change_s(-infinity) == 1);
  CHECK(f.next_change_s(0.5) == 1);
  CHECK(f.next_change_s(1) == 3);
  CHECK(f.next_change_s(3) == infinity);
}

TEST_CASE("an integral goes over all steps") {
  factor_over_time const f({{1, 0.5}, {3, 4}});
  CHECK(f.integral(0, 1) == 1);
  CHECK(f.integral(0, 4) == 1 + 1 + 4);
  CHECK(f.integral(2, 2.5) == 0.25);
  CHECK(f.integral(10, 11) == 4);
  CHECK(f.integral(5, 5) == 0);
}

TEST_CASE("steps that are not in order, or no numbers, are refused") {
  using steps = std::vector<factor_over_time::step>;
  CHECK_THROWS_AS(factor_over_time(steps{{1, 1}, {1, 2}}), std::logic_error);
  CHECK_THROWS_AS(factor_over_time(steps{{2, 1}, {1, 2}}), std::logic_error);
  CHECK_THROWS_AS(factor_over_time(steps{{-1, 1}}), std::logic_error);
  CHECK_THROWS_AS(factor_over_time(steps{{0, -1}}), std::logic_error);
  CHECK_THROWS_AS(factor_over_time(steps{{0, infinity}}), std::logic_error);
  CHECK_THROWS_AS(factor_over_time(steps{{infinity, 1}}), std::logic_error);
}
