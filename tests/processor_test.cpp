// SPDX-License-Identifier: BSD-3-Clause
#include "processor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dedicated_processor.hpp"
#include "host_cores.hpp"
#include "quota_budget.hpp"
#include "shared_host.hpp"
#include "support/seed.hpp"
#include "unsteady_speed.hpp"

namespace {

using ovlp::machine::cpu_quota;
using ovlp::machine::dedicated_processor;
using ovlp::machine::event;
using ovlp::machine::event_queue;
using ovlp::machine::host_core;
using ovlp::machine::job;
using ovlp::machine::node_kind;
using ovlp::machine::processor;
using ovlp::machine::quota_budget;
using ovlp::machine::shared_processor;
using ovlp::machine::unsteady_speed;

/// Jobs that start at given times, and when they end.
class timeline {
 public:
  event_queue events;

  /// Something that happens at a time.
  void at(double time_s, std::function<void()> what) {
    happenings_.emplace_back(std::move(what));
    events.happen_after(time_s - events.now_s(), happenings_.back());
  }
  /// Now. `then`: when it has ended.
  void start(
      std::string name, processor& on, double work_s, std::function<void()> then = [] {}, float demand = 0) {
    jobs_.emplace_back(*this, std::move(name), std::move(then));
    on.start(jobs_.back(), work_s, demand);
  }
  void start_demanding(std::string name, processor& on, double work_s, float demand) {
    start(
        std::move(name), on, work_s, [] {}, demand);
  }
  void start_at(double time_s, std::string name, processor& on, double work_s) {
    at(time_s, [this, name = std::move(name), &on, work_s] { start(name, on, work_s); });
  }

  void run() {
    while (events.advance()) {
    }
  }
  std::vector<std::string> order;  ///< in which they ended
  double end_s(std::string const& name) const {
    auto const found = std::ranges::find(jobs_, name, &named_job::name);
    REQUIRE(found != jobs_.end());
    return found->end_s;
  }

 private:
  struct happening final : event {
    explicit happening(std::function<void()> w) : what(std::move(w)) {}
    void happen() override { what(); }
    std::function<void()> what;
  };
  struct named_job final : job {
    named_job(timeline& in, std::string n, std::function<void()> t) : of(in), name(std::move(n)), then(std::move(t)) {}
    void happen() override {
      end_s = of.events.now_s();
      of.order.push_back(name);
      then();
    }
    timeline& of;
    std::string name;
    std::function<void()> then;
    double end_s = -1;
  };
  std::deque<happening> happenings_;
  std::deque<named_job> jobs_;
};

auto approximately(double seconds) { return doctest::Approx(seconds).epsilon(1e-6); }

}  // namespace

TEST_CASE("a job alone takes its work divided by the speed") {
  timeline t;
  dedicated_processor p(t.events, 4, 2);
  CHECK(p.idle());
  t.start_at(10, "a", p, 3);
  t.run();
  CHECK(t.end_s("a") == approximately(11.5));
  CHECK(p.idle());
}

TEST_CASE("jobs share the cores evenly, none getting more than one") {
  timeline t;
  dedicated_processor p(t.events, 2, 1);
  t.start("a", p, 1);
  t.start("b", p, 2);  // two cores for two jobs
  t.start("c", p, 2);  // three jobs at 2/3 each: a ends at 1.5
  t.run();
  CHECK(t.end_s("a") == approximately(1.5));
  // b and c have had 1 s each and go on at full speed.
  CHECK(t.end_s("b") == approximately(2.5));
  CHECK(t.end_s("c") == t.end_s("b"));
  CHECK(t.order == std::vector<std::string>{"a", "b", "c"});  // equal ends: the one that started first
}

TEST_CASE("jobs that demand more of what cores share than there is get equal shares, and what others leave") {
  timeline t;
  dedicated_processor p(t.events, 4, 2);
  t.start_demanding("arithmetic", p, 3, 0);  // waits for nothing
  t.start_demanding("little", p, 3, 0.25F);  // less than a third: gets it all
  t.start_demanding("much", p, 3, 0.5F);     // these two get 0.375 each
  t.start_demanding("most", p, 3, 0.75F);
  t.run();
  CHECK(t.end_s("arithmetic") == approximately(1.5));
  CHECK(t.end_s("little") == approximately(1.5));
  // Until then much has had 3/4 of 3, and most 1/2; then they have a half each, which is all that much asks for.
  CHECK(t.end_s("much") == approximately(1.5 + 0.75 / 2));
  CHECK(t.end_s("most") == approximately(1.5 + 0.375 + (1.5 - 0.75 * 2 / 3) / 2));
}

TEST_CASE("jobs with demands are served as a solver says that sets all rates anew at each event") {
  struct naive_job {
    std::string name;
    double start_s, left_s, demand, end_s = -1;
  };
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const between = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
  for (int i = 0; i < 200; ++i) {
    auto const cores = static_cast<double>(std::uniform_int_distribution(1, 6)(random));
    std::vector<naive_job> jobs;
    timeline t, on_host;
    dedicated_processor p(t.events, cores, 1.5);
    auto const host = std::make_shared<ovlp::machine::host_cores>(on_host.events, cores, 1.5);
    ovlp::machine::host_node first(on_host.events, host), second(on_host.events, host);
    for (int j = 0; j < 12; ++j) {
      bool const demands = between(0, 1) < 0.7;
      naive_job const made{"a" + std::to_string(j), between(0, 4), between(0.1, 2),
                           demands ? static_cast<float>(std::uniform_int_distribution(1, 8)(random)) / 8 : 0};
      jobs.push_back(made);
      auto const demand = static_cast<float>(made.demand);
      t.at(made.start_s, [&t, &p, made, demand] { t.start_demanding(made.name, p, made.left_s, demand); });
      auto& node = j % 2 == 0 ? first : second;
      on_host.at(made.start_s,
                 [&on_host, &node, made, demand] { on_host.start_demanding(made.name, node, made.left_s, demand); });
    }
    t.run();
    on_host.run();

    double now_s = 0;
    for (;;) {
      std::vector<naive_job*> there;
      double next_s = ovlp::machine::never;
      for (naive_job& j : jobs) {
        if (j.start_s > now_s) next_s = std::min(next_s, j.start_s);
        else if (j.end_s < 0) there.push_back(&j);
      }
      if (there.empty() && next_s == ovlp::machine::never) break;
      double const part = there.empty() ? 0 : std::min(1.0, cores / static_cast<double>(there.size()));
      // The level up to which everybody gets what he asks for: bisection.
      double low = 0, high = 1;
      for (int step = 0; step < 200; ++step) {
        double const level = (low + high) / 2;
        double sum = 0;
        for (naive_job const* j : there) sum += std::min(level, part * j->demand);
        (sum <= 1 ? low : high) = level;
      }
      double used = 0;
      std::vector<double> rates;
      for (naive_job const* j : there) {
        double const got = std::min(low, part * j->demand);
        used += got;
        rates.push_back(1.5 * part * (j->demand > 0 ? got / (part * j->demand) : 1));
        next_s = std::min(next_s, now_s + j->left_s / rates.back());
      }
      REQUIRE(used <= 1 + 1e-9);
      for (std::size_t k = 0; k < there.size(); ++k) {
        there[k]->left_s -= rates[k] * (next_s - now_s);
        if (there[k]->left_s < 1e-12) there[k]->end_s = next_s;
      }
      now_s = next_s;
    }
    for (naive_job const& j : jobs) {
      CHECK(t.end_s(j.name) == doctest::Approx(j.end_s).epsilon(1e-9));
      CHECK(on_host.end_s(j.name) == doctest::Approx(j.end_s).epsilon(1e-9));
    }
  }
}

TEST_CASE("what communication takes is missing to all jobs") {
  timeline t;
  dedicated_processor p(t.events, 1, 1);
  t.start("a", p, 1);
  t.at(0.5, [&] { p.set_taken(0.5); });  // half of the work is done; the rest goes at half the speed
  t.at(1, [&] { p.set_taken(0); });
  t.run();
  CHECK(t.end_s("a") == approximately(1.25));
}

namespace {

using steps = std::vector<ovlp::net::factor_over_time::step>;

/// Steps, and no chance.
unsteady_speed changing(double speed, steps const& over_time) {
  node_kind kind;
  kind.speed_over_time = std::make_shared<ovlp::net::factor_over_time const>(over_time);
  return {kind, speed, 0, 0};
}

}  // namespace

TEST_CASE("a node whose speed changes serves its jobs at the speed of the moment") {
  timeline t;
  dedicated_processor p(t.events, 1, changing(2, {{1, 0.5}, {3, 0}, {10, 2}}));
  SUBCASE("one after the other") {
    t.start("a", p, 3);          // 2 s of it in the first second
    t.start_at(4, "b", p, 4);    // while it stands still
    t.start_at(100, "c", p, 4);  // after the last step
    t.run();
    CHECK(t.end_s("a") == approximately(2));
    CHECK(t.end_s("b") == approximately(11));
    CHECK(t.end_s("c") == approximately(101));
  }
  SUBCASE("an end at the moment of a change") {
    t.start("a", p, 2);
    t.start_at(2, "b", p, 1);  // ends as the node comes to stand still
    t.run();
    CHECK(t.end_s("a") == approximately(1));
    CHECK(t.end_s("b") == approximately(3));
  }
  SUBCASE("several jobs") {
    t.start("a", p, 2);
    t.start("b", p, 3);
    t.run();
    CHECK(t.end_s("a") == approximately(3));  // they have had 1 s each after 1 s, and 1 s more each two seconds later
    CHECK(t.end_s("b") == approximately(10.25));
  }
}

TEST_CASE("a node that stands still for good never ends its jobs") {
  timeline t;
  dedicated_processor p(t.events, 1, changing(1, {{1, 0}}));
  t.start("a", p, 2);
  t.run();
  CHECK(t.end_s("a") == -1);
}

TEST_CASE("under a quota, and on a shared core, speeds change too") {
  timeline t;
  quota_budget const half({0.5, 1, 0}, 1, 0);
  SUBCASE("a node of its own") {
    dedicated_processor p(t.events, 1, changing(1, {{2, 0.5}}), half);
    t.start("a", p, 1.5);  // 0.5 in each of the first two seconds, then 0.25
    t.run();
    CHECK(t.end_s("a") == approximately(3.5));
  }
  SUBCASE("two nodes on a core") {
    auto const core = std::make_shared<host_core>();
    shared_processor p(t.events, changing(1, {{2, 0.5}}), half, core);
    shared_processor q(t.events, changing(1, {{0.75, 0.25}}), half, core);
    t.start("a", p, 1.5);
    t.start("b", q, 0.3);  // has the core from 0.5 on: 0.25 until it slows, then 0.05 at a quarter of the speed
    t.run();
    CHECK(t.end_s("a") == approximately(3.5));
    CHECK(t.end_s("b") == approximately(0.95));
  }
}

TEST_CASE("slow-downs come by chance: with the same seed the same ones, at each node others") {
  node_kind kind;
  auto const exponential = [](double mean) {
    return [=](std::mt19937_64& random) { return std::exponential_distribution(1 / mean)(random); };
  };
  kind.slowdowns.push_back({exponential(9), exponential(1), [](std::mt19937_64&) { return 4.0; }});
  auto const end_s = [&](std::uint64_t seed, std::size_t node) {
    timeline t;
    dedicated_processor p(t.events, 1, unsteady_speed(kind, 1, seed, node));
    t.start("a", p, 10'000);
    t.run();
    return t.end_s("a");
  };
  CHECK(end_s(1, 0) == end_s(1, 0));
  CHECK(end_s(1, 0) != end_s(2, 0));
  CHECK(end_s(1, 0) != end_s(1, 1));
  // In 10 seconds 9 s of work and a quarter of one are done. There are a thousand phases.
  CHECK(end_s(1, 0) == doctest::Approx(10'000 / 0.925).epsilon(0.02));
  CHECK(end_s(2, 5) == doctest::Approx(10'000 / 0.925).epsilon(0.02));
}

TEST_CASE("several slow-downs at once multiply, and a draw below 1 changes nothing") {
  node_kind kind;
  auto const always = [](double value) { return [=](std::mt19937_64&) { return value; }; };
  kind.slowdowns = {
      {always(1), always(3), always(2)}, {always(2), always(1), always(5)}, {always(1), always(1), always(0.1)}};
  timeline t;
  dedicated_processor p(t.events, 1, unsteady_speed(kind, 1, 0, 0));
  t.start("a", p, 1.85);  // 1 in the first second, then 0.5, then 0.1, then half a second at half the speed
  t.run();
  CHECK(t.end_s("a") == approximately(3.5));
}

TEST_CASE("on many cores communication takes nothing from a few jobs") {
  timeline t;
  dedicated_processor p(t.events, 4, 1);
  p.set_taken(2.5);
  t.start("a", p, 1);
  t.run();
  CHECK(t.end_s("a") == approximately(1));
}

TEST_CASE("under a quota a node computes at full speed, then is throttled") {
  // A quarter of a core, in periods of 1 s that begin at 0, 1, ...
  timeline t;
  dedicated_processor p(t.events, 1, 1, quota_budget({0.25, 1, 0}, 1, 0));
  t.start_at(0.1, "first", p, 0.2);
  t.start_at(0.4, "second", p, 0.5);  // 0.05 are left of this period; the rest comes in the next two
  t.start_at(50.5, "third", p, 0.3);  // nothing is saved up by standing idle
  t.run();
  CHECK(t.end_s("first") == approximately(0.3));
  CHECK(t.end_s("second") == approximately(2.2));
  CHECK(t.end_s("third") == approximately(51.05));
}

TEST_CASE("of an unspent budget a bounded part is carried into the next period") {
  timeline t;
  dedicated_processor p(t.events, 1, 1, quota_budget({0.25, 1, 0.1}, 1, 0));
  t.start_at(0.5, "a", p, 0.4);  // the first budget, and the next
  // Of what is left now, at least 0.1, a tenth of a second is there in the period after.
  t.start_at(2.2, "b", p, 0.35);
  t.run();
  CHECK(t.end_s("a") > 1);
  CHECK(t.end_s("b") == approximately(2.55));
}

TEST_CASE("two jobs on two cores spend a budget twice as fast") {
  timeline t;
  dedicated_processor p(t.events, 2, 1, quota_budget({0.25, 1, 0}, 2, 0));  // half a core second each period
  t.start("a", p, 0.3);
  t.start("b", p, 0.3);
  t.run();
  CHECK(t.end_s("b") == approximately(1.05));
}

TEST_CASE("a quota grants what stepping through time grants") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const between = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
  for (int i = 0; i < 200; ++i) {
    cpu_quota const quota{between(0.05, 0.9), between(0.5, 2), i % 2 == 0 ? 0 : between(0, 0.3)};
    double const phase_s = between(0, quota.period_s), begin_s = between(0, 5), work_s = between(0.01, 4);
    double const pause_s = between(0, 3);
    quota_budget all_at_once(quota, 1, phase_s), in_steps(quota, 1, phase_s);
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

TEST_CASE("without quotas all jobs of all nodes share a host's cores evenly, none getting more than one") {
  timeline t;
  auto const host = std::make_shared<ovlp::machine::host_cores>(t.events, 2, 0.5);
  ovlp::machine::host_node one(t.events, host), other(t.events, host);
  t.at(0, [&] {
    t.start("alone", one, 0.5);  // at 0.5 of the reference core until the others come
    CHECK(!one.idle());
    CHECK(other.idle());
  });
  t.at(0.5, [&] {
    for (char const* name : {"a", "b", "c"}) t.start(name, other, 0.5);
  });
  // Four jobs on two cores: 0.25 each. The first has 0.25 left of its work: until 1.5. Then three: 1/3 each.
  t.at(1.6, [&] { CHECK(one.idle()); });
  // From 1.6 on the one node communicates with half a core: 1.5 cores for three jobs, 0.25 each.
  t.at(1.6, [&] { one.set_taken(0.5); });
  t.run();
  CHECK(t.end_s("alone") == approximately(1.5));
  double const left_s = 0.5 - 0.25 - 0.1 / 3;
  for (char const* name : {"a", "b", "c"}) CHECK(t.end_s(name) == approximately(1.6 + left_s / 0.25));
  CHECK(other.idle());
}

TEST_CASE("nodes on one core of a host compute one after another, each until its budget is spent") {
  timeline t;
  auto const core = std::make_shared<host_core>();
  quota_budget const quarter({0.25, 1, 0}, 1, 0);
  shared_processor first(t.events, 1, quarter, core), second(t.events, 1, quarter, core);
  t.start("a", first, 0.5);  // until 0.25; both are throttled from 0.5 on; then from 1 to 1.25
  t.start("b", second, 0.4);
  t.run();
  CHECK(t.end_s("a") == approximately(1.25));
  CHECK(t.end_s("b") == approximately(1.4));
  CHECK(first.idle());
  CHECK(second.idle());
}

TEST_CASE("a node that left with less than its share of the core gets it at once when it comes back") {
  timeline t;
  auto const core = std::make_shared<host_core>();
  quota_budget const all({0.5, 100, 0}, 1, 0);
  shared_processor before(t.events, 1, all, core), busy(t.events, 1, all, core), other(t.events, 1, all, core);
  t.start("before", before, 0.3);
  t.start_at(0.1, "first", other, 0.02);   // as if it had had 0.1, too
  t.start_at(0.2, "long", busy, 1);        // 0.15, the average of 0.2 and 0.1: after the other
  t.start_at(0.4, "second", other, 0.05);  // has had 0.03 less than the busy one: at once; then 0.02 more
  t.start_at(0.6, "third", other, 0.02);   // as if it had had as much: when the busy one has ended
  t.run();
  CHECK(t.end_s("first") == approximately(0.32));
  CHECK(t.end_s("second") == approximately(0.45));
  CHECK(t.end_s("long") == approximately(1.37));
  CHECK(t.end_s("third") == approximately(1.39));
}

TEST_CASE("a node alone on its core computes as one with a core of its own") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  auto const between = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
  for (int i = 0; i < 300; ++i) {
    cpu_quota const quota{between(0.05, 1), between(0.5, 2), i % 2 == 0 ? 0 : between(0, 0.3)};
    quota_budget const budget(quota, 1, between(0, quota.period_s));
    timeline shared, dedicated;
    shared_processor on_host(shared.events, 2, budget, std::make_shared<host_core>());
    dedicated_processor own(dedicated.events, 1, 2, budget);
    double start_s = 0;
    for (int j = 0; j < 5; ++j) {
      start_s += between(0, 3);
      double const work_s = between(0.01, 4);
      std::string const name = "a" + std::to_string(j);
      auto const run = [&](timeline& t, processor& p) {
        t.at(start_s, [&] { t.start(name, p, work_s); });
        t.run();
      };
      run(shared, on_host);
      run(dedicated, own);
      start_s = dedicated.end_s(name);
      CHECK(shared.end_s(name) == doctest::Approx(start_s).epsilon(1e-9));
      start_s += 1e-6;  // it has left its core
    }
  }
}

TEST_CASE("threads of a node on a core of a host take turns, by slices") {
  timeline t;
  auto const core = std::make_shared<host_core>(0.25);
  quota_budget const all({1, 100, 0}, 1, 0);
  shared_processor node(t.events, 1, all, core);
  t.start("a", node, 0.6);  // until 0.25, and from 0.5 to 0.75
  // From 0.25 to 0.5, and from 0.75 to 0.8. What it begins then belongs to its slice, of which 0.2 s are left.
  t.start("b", node, 0.3, [&] {
    t.start("more", node, 1);
    t.start("message", node, 0.1);  // this waits
  });
  t.run();
  CHECK(t.end_s("b") == approximately(0.8));
  CHECK(t.end_s("a") == approximately(1.1));  // which came before the message
  CHECK(t.end_s("message") == approximately(1.2));
  CHECK(t.end_s("more") == approximately(2.0));
}
