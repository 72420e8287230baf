// SPDX-License-Identifier: BSD-3-Clause
#include "simkernel/src/processor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using ovlp::sim::job;
using ovlp::sim::processor;

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a job alone takes its work divided by the speed" * doctest::timeout(10)) {
  processor p(4, 2);
  job a(job::kind_type::step);
  CHECK(p.next_end_s() == never);
  p.start(a, 1, 3, 10);
  CHECK(p.next_end_s() == doctest::Approx(11.5));
  CHECK(p.take_ended(11.5).who == &a);
  CHECK(p.next_end_s() == never);
}

TEST_CASE("jobs share the cores evenly, none getting more than one" * doctest::timeout(10)) {
  processor p(2, 1);
  job a(job::kind_type::step), b(job::kind_type::step), c(job::kind_type::step);
  p.start(a, 1, 1, 0);
  p.start(b, 2, 2, 0);  // two cores for two jobs
  p.start(c, 3, 2, 0);  // three jobs at 2/3 each: a ends at 1.5
  CHECK(p.next_end_s() == doctest::Approx(1.5));
  CHECK(p.take_ended(1.5).who == &a);
  // b and c have had 1 s each and go on at full speed.
  CHECK(p.next_end_s() == doctest::Approx(2.5));
  CHECK(p.take_ended(2.5).who == &b);  // equal ends: the one that started first
  CHECK(p.next_end_s() == doctest::Approx(2.5));
  CHECK(p.take_ended(2.5).who == &c);
}

TEST_CASE("what communication takes is missing to all jobs" * doctest::timeout(10)) {
  processor p(1, 1);
  job a(job::kind_type::step);
  p.start(a, 1, 1, 0);
  p.set_taken(0.5, 0.5);  // half of the work is done; the rest goes at half the speed
  CHECK(p.next_end_s() == doctest::Approx(1.5));
  p.set_taken(0, 1);
  CHECK(p.next_end_s() == doctest::Approx(1.25));
}

TEST_CASE("on many cores communication takes nothing from a few jobs" * doctest::timeout(10)) {
  processor p(4, 1);
  job a(job::kind_type::step);
  p.start(a, 1, 1, 0);
  p.set_taken(2.5, 0);
  CHECK(p.next_end_s() == doctest::Approx(1));
}
