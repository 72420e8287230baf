// SPDX-License-Identifier: BSD-3-Clause
#include "simkernel/src/processor.hpp"

#include "simkernel/src/hosted_processor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "simkernel/src/cpu_grant.hpp"
#include "support/seed.hpp"

namespace {

using ovlp::sim::cpu_grant;
using ovlp::sim::cpu_quota;
using ovlp::sim::host_core;
using ovlp::sim::hosted_processor;
using ovlp::sim::job;
using ovlp::sim::own_processor;
using ovlp::sim::processor;

constexpr double never = std::numeric_limits<double>::infinity();

/// The job that ends now.
job* ended(processor& p, double now_s) {
  auto const first = p.take_ended(now_s);
  return first ? first->who : nullptr;
}

/// Goes through what happens to a processor until a job ends. Returns when.
double next_end_s(processor& p, job const& expected) {
  for (;;) {
    double const now_s = p.next_event_s();
    REQUIRE(now_s < never);
    if (job* const who = ended(p, now_s)) {
      CHECK(who == &expected);
      return now_s;
    }
  }
}

}  // namespace

TEST_CASE("a job alone takes its work divided by the speed" * doctest::timeout(10)) {
  own_processor p(4, 2);
  job a(job::kind_type::step);
  CHECK(p.next_event_s() == never);
  p.start(a, 1, 3, 10);
  CHECK(p.next_event_s() == doctest::Approx(11.5));
  CHECK(ended(p, 11.5) == &a);
  CHECK(p.next_event_s() == never);
}

TEST_CASE("jobs share the cores evenly, none getting more than one" * doctest::timeout(10)) {
  own_processor p(2, 1);
  job a(job::kind_type::step), b(job::kind_type::step), c(job::kind_type::step);
  p.start(a, 1, 1, 0);
  p.start(b, 2, 2, 0);  // two cores for two jobs
  p.start(c, 3, 2, 0);  // three jobs at 2/3 each: a ends at 1.5
  CHECK(p.next_event_s() == doctest::Approx(1.5));
  CHECK(ended(p, 1.5) == &a);
  // b and c have had 1 s each and go on at full speed.
  CHECK(p.next_event_s() == doctest::Approx(2.5));
  CHECK(ended(p, 2.5) == &b);  // equal ends: the one that started first
  CHECK(p.next_event_s() == doctest::Approx(2.5));
  CHECK(ended(p, 2.5) == &c);
}

TEST_CASE("what communication takes is missing to all jobs" * doctest::timeout(10)) {
  own_processor p(1, 1);
  job a(job::kind_type::step);
  p.start(a, 1, 1, 0);
  p.set_taken(0.5, 0.5);  // half of the work is done; the rest goes at half the speed
  CHECK(p.next_event_s() == doctest::Approx(1.5));
  p.set_taken(0, 1);
  CHECK(p.next_event_s() == doctest::Approx(1.25));
}

TEST_CASE("on many cores communication takes nothing from a few jobs" * doctest::timeout(10)) {
  own_processor p(4, 1);
  job a(job::kind_type::step);
  p.start(a, 1, 1, 0);
  p.set_taken(2.5, 0);
  CHECK(p.next_event_s() == doctest::Approx(1));
}

TEST_CASE("under a quota a node computes at full speed, then stands still" * doctest::timeout(10)) {
  // A quarter of a core, in periods of 1 s that begin at 0, 1, ...
  own_processor p(1, 1, cpu_grant({0.25, 1, 0}, 1, 0));
  job a(job::kind_type::step);
  p.start(a, 1, 0.2, 0.1);
  CHECK(p.next_event_s() == doctest::Approx(0.3));
  CHECK(ended(p, 0.3) == &a);
  // 0.05 are left of this period; the rest comes in the next two.
  p.start(a, 2, 0.5, 0.4);
  CHECK(p.next_event_s() == doctest::Approx(2.2));
  CHECK(ended(p, 2.2) == &a);
  // Nothing is saved up by standing idle.
  p.start(a, 3, 0.3, 50.5);
  CHECK(p.next_event_s() == doctest::Approx(51.05));
}

TEST_CASE("of an unused grant a bounded part is carried into the next period" * doctest::timeout(10)) {
  own_processor p(1, 1, cpu_grant({0.25, 1, 0.1}, 1, 0));
  job a(job::kind_type::step);
  p.start(a, 1, 0.4, 0.5);  // the first grant, and the next
  double const end_s = p.next_event_s();
  CHECK(end_s > 1);
  CHECK(ended(p, end_s) == &a);
  // Of what is left now, at least 0.1, a tenth of a second is there in the period after.
  p.start(a, 2, 0.35, 2.2);
  CHECK(p.next_event_s() == doctest::Approx(2.55));
}

TEST_CASE("two jobs on two cores use up a grant twice as fast" * doctest::timeout(10)) {
  own_processor p(2, 1, cpu_grant({0.25, 1, 0}, 2, 0));  // half a core second each period
  job a(job::kind_type::step), b(job::kind_type::step);
  p.start(a, 1, 0.3, 0);
  p.start(b, 2, 0.3, 0);
  CHECK(p.next_event_s() == doctest::Approx(1.05));
}

TEST_CASE("a quota grants what stepping through time grants" * doctest::timeout(30)) {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const between = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
  for (int i = 0; i < 200; ++i) {
    cpu_quota const quota{between(0.05, 0.9), between(0.5, 2), i % 2 == 0 ? 0 : between(0, 0.3)};
    double const phase_s = between(0, quota.period_s), begin_s = between(0, 5), work_s = between(0.01, 4);
    double const pause_s = between(0, 3);
    cpu_grant all_at_once(quota, 1, phase_s), in_steps(quota, 1, phase_s);
    all_at_once.pass(0, begin_s, 0);
    double const end_s = all_at_once.when(begin_s, work_s, 1);
    CHECK(all_at_once.pass(begin_s, end_s, 1) == doctest::Approx(work_s).epsilon(1e-9));
    all_at_once.pass(end_s, end_s + pause_s, 0);
    double const second_s = all_at_once.when(end_s + pause_s, work_s, 1);

    // The same in small steps, busy and idle.
    constexpr double step_s = 1e-3;
    auto const walk = [&](double from_s, double to_s, double use) {
      double active_s = 0;
      while (from_s < to_s) {
        double const next_s = std::min(to_s, from_s + step_s);
        active_s += in_steps.pass(from_s, next_s, use);
        from_s = next_s;
      }
      return active_s;
    };
    walk(0, begin_s, 0);
    CHECK(walk(begin_s, end_s, 1) == doctest::Approx(work_s).epsilon(1e-6));
    walk(end_s, end_s + pause_s, 0);
    CHECK(walk(end_s + pause_s, second_s, 1) == doctest::Approx(work_s).epsilon(1e-6));
  }
}

TEST_CASE("nodes on one core of a host compute one after another, each until its grant is used up" *
          doctest::timeout(10)) {
  host_core core;
  int changes = 0;
  cpu_grant const quarter({0.25, 1, 0}, 1, 0);
  hosted_processor first(1, quarter, 0, core, [&] { ++changes; }), second(1, quarter, 0, core, [&] { ++changes; });
  job a(job::kind_type::step), b(job::kind_type::step);
  first.start(a, 1, 0.5, 0);
  second.start(b, 2, 0.4, 0);
  CHECK(first.next_event_s() == doctest::Approx(0.25));
  CHECK(second.next_event_s() == never);  // it waits
  CHECK(changes == 2);                    // the first runs; the first is waited for
  CHECK(ended(first, 0.25) == nullptr);
  CHECK(changes == 3);
  CHECK(second.next_event_s() == doctest::Approx(0.5));
  CHECK(ended(second, 0.5) == nullptr);
  CHECK(first.next_event_s() == doctest::Approx(1));  // both stand still
  CHECK(second.next_event_s() == doctest::Approx(1));
  CHECK(ended(first, 1) == nullptr);
  CHECK(ended(second, 1) == nullptr);
  CHECK(first.next_event_s() == doctest::Approx(1.25));
  CHECK(second.next_event_s() == never);
  CHECK(ended(first, 1.25) == &a);
  CHECK(first.idle());
  CHECK(second.next_event_s() == doctest::Approx(1.4));
  CHECK(ended(second, 1.4) == &b);
  CHECK(first.next_event_s() == never);
}

TEST_CASE("nodes on one core of a host take turns from beat to beat, who had least of it first" *
          doctest::timeout(10)) {
  host_core core(0.1, 0.1);
  cpu_grant const all({0.5, 100, 0}, 1, 0);
  hosted_processor first(1, all, 0, core, [] {}), second(1, all, 0, core, [] {}), third(1, all, 0, core, [] {});
  job a(job::kind_type::step), b(job::kind_type::step), c(job::kind_type::step);
  first.start(a, 1, 0.43, 1);
  second.start(b, 2, 0.15, 1.26);  // as if it had had 0.26, too
  CHECK(first.next_event_s() == doctest::Approx(1.3));
  CHECK(ended(first, first.next_event_s()) == nullptr);
  CHECK(first.next_event_s() == never);
  third.start(c, 3, 0.3, 1.35);  // 0.305, the average of 0.3 and 0.31
  CHECK(second.next_event_s() == doctest::Approx(1.4));
  CHECK(ended(second, second.next_event_s()) == nullptr);
  CHECK(first.next_event_s() == doctest::Approx(1.5));
  CHECK(ended(first, first.next_event_s()) == nullptr);
  CHECK(third.next_event_s() == doctest::Approx(1.6));
  CHECK(ended(third, third.next_event_s()) == nullptr);
  CHECK(second.next_event_s() == doctest::Approx(1.65));
  CHECK(ended(second, second.next_event_s()) == &b);
  CHECK(ended(second, second.next_event_s()) == nullptr);  // it gives the core back
  CHECK(first.next_event_s() == doctest::Approx(1.68));
  CHECK(ended(first, first.next_event_s()) == &a);
  CHECK(ended(first, first.next_event_s()) == nullptr);
  CHECK(third.next_event_s() == doctest::Approx(1.88));  // nobody waits any more
  CHECK(ended(third, third.next_event_s()) == &c);
}

TEST_CASE("a node that left with less than its share of the core gets it at once when it comes back" *
          doctest::timeout(10)) {
  host_core core(0.1, 0.1);
  cpu_grant const all({0.5, 100, 0}, 1, 0);
  hosted_processor busy(1, all, 0, core, [] {}), other(1, all, 0, core, [] {});
  job a(job::kind_type::step), b(job::kind_type::step);
  busy.start(a, 1, 10, 0);
  other.start(b, 2, 0.02, 0.26);
  CHECK(ended(busy, busy.next_event_s()) == nullptr);  // 0.3
  CHECK(other.next_event_s() == doctest::Approx(0.32));
  CHECK(ended(other, other.next_event_s()) == &b);
  CHECK(ended(other, other.next_event_s()) == nullptr);  // it has had 0.02 less than the busy one
  other.start(b, 3, 0.02, 0.41);
  CHECK(busy.next_event_s() == never);
  CHECK(other.next_event_s() == doctest::Approx(0.43));
  CHECK(ended(other, other.next_event_s()) == &b);
  CHECK(ended(other, other.next_event_s()) == nullptr);
  other.start(b, 4, 0.02, 0.45);  // now it has had as much
  CHECK(other.next_event_s() == never);
  CHECK(busy.next_event_s() == doctest::Approx(0.5));
}

TEST_CASE("a node alone on its core computes as one with a core of its own" * doctest::timeout(20)) {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const between = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
  for (int i = 0; i < 300; ++i) {
    cpu_quota const quota{between(0.05, 1), between(0.5, 2), i % 2 == 0 ? 0 : between(0, 0.3)};
    cpu_grant const grant(quota, 1, between(0, quota.period_s));
    host_core core;
    hosted_processor hosted(2, grant, 0, core, [] {});
    own_processor own(1, 2, grant), alone(1, 2, grant);
    job a(job::kind_type::step), b(job::kind_type::step);
    double now_s = 0;
    for (int j = 0; j < 5; ++j) {
      now_s += between(0, 3);
      double const work_s = between(0.01, 4);
      for (processor* p : {static_cast<processor*>(&hosted), static_cast<processor*>(&own)}) {
        p->start(a, 1, work_s, now_s);
        p->start(b, 2, 1.5 * work_s, now_s);
      }
      next_end_s(own, a);
      next_end_s(hosted, a);
      now_s = next_end_s(own, b);
      CHECK(next_end_s(hosted, b) == doctest::Approx(now_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("threads of a node on a core of a host take turns" * doctest::timeout(10)) {
  host_core core;
  cpu_grant const all({1, 100, 0}, 1, 0);
  hosted_processor node(1, all, 0.25, core, [] {});
  job a(job::kind_type::step), b(job::kind_type::step), message(job::kind_type::message);
  node.start(a, 1, 0.6, 0);
  node.start(b, 2, 0.3, 0);
  CHECK(ended(node, node.next_event_s()) == nullptr);  // 0.25: b's turn
  CHECK(ended(node, node.next_event_s()) == nullptr);  // 0.5: a's
  CHECK(ended(node, node.next_event_s()) == nullptr);  // 0.75: b's, for 0.05 s
  CHECK(node.next_event_s() == doctest::Approx(0.8));
  CHECK(ended(node, node.next_event_s()) == &b);
  node.start(b, 3, 1, 0.8);          // what it begins in this moment belongs to its turn, of which 0.2 s are left
  node.start(message, 4, 0.1, 0.8);  // this waits
  CHECK(node.next_event_s() == doctest::Approx(1.0));
  CHECK(ended(node, node.next_event_s()) == nullptr);
  CHECK(node.next_event_s() == doctest::Approx(1.1));
  CHECK(ended(node, node.next_event_s()) == &a);  // which came before the message
  CHECK(ended(node, node.next_event_s()) == &message);
  CHECK(node.next_event_s() == doctest::Approx(2.0));
}
