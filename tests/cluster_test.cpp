// SPDX-License-Identifier: BSD-3-Clause
// A cluster that many programs share: schedulers beside naive ones, accounts, logs.
#include "support/process.hpp"
#include "support/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>

#include "results/over_time.hpp"
#include "results/stored_cluster.hpp"
#include "schedulers/scheduler.hpp"
#include "server/job_nodes.hpp"
#include "server/server.hpp"
#include "workload/logs.hpp"
#include "workload/profiles.hpp"

using namespace ovlp::cluster;

namespace {

/// Round after round, each with a seed of its own.
void random_rounds(int rounds, std::function<void(std::mt19937_64&)> const& round) {
  std::uint64_t const seed = ovlp::testing::new_seed();
  for (int r = 0; r < rounds; ++r) {
    INFO("repeat with OVLP_TEST_SEED=" << seed + static_cast<std::uint64_t>(r));
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(r));
    round(random);
  }
}

job rigid(double arrival_s, node_count nodes, double time_s, double requested_s) {
  job made{.name = "job", .arrival_s = arrival_s, .requested = nodes, .possible = {nodes}, .requested_s = requested_s};
  made.expected = forecast::rigid(nodes, time_s);
  return made;
}
/// As long on any of its numbers of nodes, but for a perfect speedup.
job divisible(double arrival_s, std::vector<node_count> possible, node_count requested, double node_s,
              std::uint32_t iterations = 10, double change_s = 0) {
  job made{.name = "job", .arrival_s = arrival_s, .requested = requested, .possible = possible};
  std::vector<std::vector<double>> time_s;
  for (node_count const n : possible) time_s.push_back({node_s / n / iterations});
  made.requested_s = node_s / requested;
  made.expected = forecast(std::move(possible), std::move(time_s), iterations, change_s);
  return made;
}

/// Times and arrivals are whole numbers, so that much happens at the same time.
workload random_workload(std::mt19937_64& random, node_count nodes, bool honest) {
  auto const below = [&](std::uint64_t bound) { return static_cast<double>(random() % bound); };
  workload made{.name = "random", .nodes = nodes, .jobs = {}};
  double at_s = 0;
  for (std::uint64_t j = 0, jobs = 1 + random() % 40; j < jobs; ++j) {
    at_s += below(8);
    double const time_s = 1 + below(20);
    double const asked_s = honest ? time_s + below(15) : 1 + below(30);
    made.jobs.push_back(rigid(at_s, 1 + static_cast<node_count>(random() % nodes), time_s, asked_s));
  }
  return made;
}

cluster_run simulated(workload const& of, node_count nodes, std::string const& scheduler, double launch_s = 0) {
  auto const decides = make_scheduler(scheduler);
  return simulate(of, {nodes, launch_s}, scheduler, *decides);
}

/// First come, first served, job after job: each starts at the first time at which enough nodes are free.
std::vector<double> naive_fcfs(workload const& of, node_count nodes) {
  std::vector<double> starts, ends;
  double last_s = 0;
  for (job const& one : of.jobs) {
    std::vector<double> times{std::max(last_s, one.arrival_s)};
    for (double const end_s : ends) times.push_back(std::max(end_s, times.front()));
    std::ranges::sort(times);
    for (double const at_s : times) {
      node_count held = 0;
      for (std::size_t j = 0; j < ends.size(); ++j) held += ends[j] > at_s ? of.jobs[j].requested : 0;
      if (held + one.requested > nodes) continue;
      starts.push_back(last_s = at_s);
      ends.push_back(at_s + one.expected.rest_s(0, 0));
      break;
    }
  }
  return starts;
}

/// EASY, second by second: all times are whole numbers.
std::vector<double> naive_easy(workload const& of, node_count nodes) {
  constexpr double not_yet = -1;
  std::vector<double> starts(of.jobs.size(), not_yet);
  auto const ends = [&](std::size_t j) { return starts[j] + of.jobs[j].expected.rest_s(0, 0); };
  for (double now_s = 0; std::ranges::count(starts, not_yet) > 0; ++now_s) {
    bool happens = false;  // it decides when something has
    for (std::size_t j = 0; j < starts.size(); ++j)
      happens |= of.jobs[j].arrival_s == now_s || (starts[j] >= 0 && ends(j) == now_s);
    if (!happens) continue;
    auto const runs = [&](std::size_t j) { return starts[j] >= 0 && ends(j) > now_s; };
    auto const waits = [&](std::size_t j) { return starts[j] < 0 && of.jobs[j].arrival_s <= now_s; };
    // Nodes free at a later time, if all take as long as they have said and no more jobs start.
    auto const free_at = [&](double at_s) {
      node_count free = nodes;
      for (std::size_t j = 0; j < starts.size(); ++j) {
        bool const said_over = at_s > now_s && std::max(starts[j] + of.jobs[j].requested_s, now_s) <= at_s;
        if (runs(j) && !said_over) free -= of.jobs[j].requested;
      }
      return free;
    };
    std::size_t first = 0;
    for (; first < starts.size(); ++first) {
      if (!waits(first)) continue;
      if (of.jobs[first].requested > free_at(now_s)) break;
      starts[first] = now_s;
    }
    if (first == starts.size()) continue;
    // What has run longer than it said counts as ending now: then a second later is soon enough to look.
    double shadow_s = now_s;
    node_count overdue = 0;
    for (std::size_t j = 0; j < starts.size(); ++j) {
      if (runs(j) && starts[j] + of.jobs[j].requested_s <= now_s) overdue += of.jobs[j].requested;
    }
    node_count spare = 0;
    if (free_at(now_s) + overdue >= of.jobs[first].requested) {
      spare = free_at(now_s) + overdue - of.jobs[first].requested;
    } else {
      while (free_at(shadow_s) < of.jobs[first].requested) ++shadow_s;
      spare = free_at(shadow_s) - of.jobs[first].requested;
    }
    for (std::size_t j = first + 1; j < starts.size(); ++j) {
      job const& one = of.jobs[j];
      if (!waits(j) || one.requested > free_at(now_s)) continue;
      bool const ends_before = now_s + one.requested_s <= shadow_s;
      if (!ends_before && one.requested > spare) continue;
      if (!ends_before) spare -= one.requested;
      starts[j] = now_s;
    }
  }
  return starts;
}

std::vector<double> starts_of(cluster_run const& run) {
  std::vector<double> starts;
  for (job_result const& one : run.jobs) starts.push_back(one.start_s);
  return starts;
}

/// Does as a function says.
class by_function final : public scheduler {
 public:
  explicit by_function(std::function<void(known const&, std::vector<order>&)> decides) : decides_(std::move(decides)) {}
  void decide(known const& now, std::vector<order>& orders) override { decides_(now, orders); }

 private:
  std::function<void(known const&, std::vector<order>&)> decides_;
};

}  // namespace

TEST_CASE("first come, first served, and EASY start each job when naive ones do") {
  random_rounds(2000, [](std::mt19937_64& random) {
    auto const nodes = static_cast<node_count>(1 + random() % 16);
    workload const of = random_workload(random, nodes, random() % 2 == 0);
    CHECK(starts_of(simulated(of, nodes, "fcfs")) == naive_fcfs(of, nodes));
    CHECK(starts_of(simulated(of, nodes, "easy")) == naive_easy(of, nodes));
  });
}

TEST_CASE("under each scheduler no job is lost, and accounts add up") {
  random_rounds(50, [](std::mt19937_64& random) {
    workload of = make_synthetic({60, 32, 0.5 + static_cast<double>(random() % 10) / 10, random()});
    make_malleable(of, static_cast<double>(random() % 5) / 4, {0.5, 1 + static_cast<std::uint32_t>(random() % 10), 3.0},
                   random());
    of.ends_jobs = random() % 2 == 0;
    for (std::string const name : {"fcfs", "easy", "equipartition", "efficiency", "gain"}) {
      CAPTURE(name);
      cluster_run const run = simulated(of, 32, name, static_cast<double>(random() % 3));  // which checks them
      CHECK(run.jobs.size() == of.jobs.size());
    }
  });
}

TEST_CASE("over time nothing is lost: work, held nodes and waiting add up to those of jobs, whatever the windows") {
  random_rounds(30, [](std::mt19937_64& random) {
    workload of = make_synthetic({60, 32, 0.5 + static_cast<double>(random() % 10) / 10, random()});
    make_malleable(of, static_cast<double>(random() % 5) / 4, {0.5, 1 + static_cast<std::uint32_t>(random() % 10), 3.0},
                   random());
    of.ends_jobs = random() % 2 == 0;
    std::vector<std::size_t> groups;
    for (std::size_t j = 0; j < of.jobs.size(); ++j) groups.push_back(random() % 4);
    for (std::string const name : {"easy", "equipartition", "gain"}) {
      CAPTURE(name);
      cluster_run const run = simulated(of, 32, name, static_cast<double>(random() % 3));
      windows const in{run.begin_s - static_cast<double>(random() % 100), run.end_s + 50, 1 + random() % 50};
      cluster_over_time const by = over_time(run, in, groups);
      double work_node_s = 0, held_node_s = 0, waited_s = 0;
      std::vector<double> of_groups(4, 0);
      for (std::size_t j = 0; j < run.jobs.size(); ++j) {
        job_result const& got = run.jobs[j];
        work_node_s += got.work_node_s;
        held_node_s += got.held_node_s;
        waited_s += got.start_s - of.jobs[j].arrival_s;
        of_groups[groups[j]] += got.held_node_s;
        // The work of a job is the same, however many nodes it has held.
        forecast const& expected = of.jobs[j].expected;
        if (got.end == job_result::end_type::completed)
          CHECK(got.work_node_s == doctest::Approx(expected.nodes().front() * expected.rest_s(0, 0)));
      }
      auto const sum = [](std::vector<double> const& all) { return std::accumulate(all.begin(), all.end(), 0.0); };
      CHECK(sum(by.work_node_s) == doctest::Approx(work_node_s));
      CHECK(sum(by.held_node_s) == doctest::Approx(held_node_s));
      CHECK(sum(by.waiting) * in.width_s() == doctest::Approx(waited_s));
      CHECK(sum(by.available_node_s) == doctest::Approx(32 * run.makespan_s()));
      for (std::size_t g = 0; g < by.held_by.size(); ++g) CHECK(sum(by.held_by[g]) == doctest::Approx(of_groups[g]));
      CHECK(figures_of(run).dynamic_efficiency == doctest::Approx(work_node_s / (32 * run.makespan_s())));
    }
  });
}

TEST_CASE("what a job has computed when it is ended in an iteration is work, launching and moving states are none") {
  workload of{.name = "one", .nodes = 8, .ends_jobs = true, .jobs = {divisible(0, {2, 4, 8}, 4, 400, 4, 5)}};
  of.jobs[0].requested_s = 50;
  by_function decides([](known const& now, std::vector<order>& orders) {
    if (!now.waiting.empty()) orders.push_back({order::kind_type::start, 0, 4});
    if (!now.running.empty() && now.running[0].at_border) orders.push_back({order::kind_type::hold, 0, 2});
  });
  cluster_run const run = simulate(of, {8, 10}, "test", decides);
  // Launched in 10 s, an iteration of 25 s, 5 s of moving, 10 s of the next iteration.
  REQUIRE(run.stretches.size() == 2);
  CHECK(run.jobs[0].work_node_s == doctest::Approx(4 * 25 + 2 * 10));
  CHECK(run.jobs[0].held_node_s == doctest::Approx(4 * 40 + 2 * 10));
  CHECK(run.stretches[1].from_s == doctest::Approx(40));
}

TEST_CASE("a node that is told to stay again before it has left stays bound to its host") {
  job_nodes nodes;
  node_count next = 10;
  std::vector<node_count> given;
  auto const rebind = [&](node_count target) {
    nodes.rebind(
        target, [&] { return next++; }, [&](node_count host) { given.push_back(host); });
  };
  auto const tell = [&](node_count target) {
    rebind(target);
    nodes.tell(target);
  };
  tell(4);
  tell(2);               // 2 and 3 leave
  tell(4);               // and are to stay
  nodes.released(3, 4);  // which one hears late: it is launched again
  rebind(2);             // ordered, and not told yet
  CHECK(nodes.held() == 4);
  CHECK(given.empty());
  nodes.joined(3, 4);
  tell(2);
  nodes.released(3, 4);
  nodes.released(2, 3);
  rebind(2);
  CHECK(given == std::vector<node_count>{12, 13});
  nodes.all_released();
  rebind(0);
  CHECK(nodes.held() == 0);
}

TEST_CASE("stored runs of a cluster are read back as they were; what cannot be is refused") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "c.sqlite";
  workload of = make_synthetic({40, 32, 0.9, 7});
  make_malleable(of, 0.5, {0.5, 10, 3.0}, 7);
  of.jobs[3].name = "a \"name\" <of> sorts";
  std::vector<cluster_run> const runs{simulated(of, 32, "easy", 1), simulated(of, 32, "gain", 1)};
  store_cluster(file, runs);
  store_cluster(file, runs);  // again
  CHECK(is_stored_cluster(file));
  stored_cluster const read = read_cluster(file);
  CHECK(csv_of(read.runs) == csv_of(runs));
  CHECK(csv_over_time(read.runs, 30) == csv_over_time(runs, 30));
  CHECK(figures_of(read.runs[1]).p95_turnaround_s == figures_of(runs[1]).p95_turnaround_s);

  auto const refused = [&](std::string const& change, std::string const& message) {
    store_cluster(file, runs);
    ovlp::base::database(file, ovlp::base::database::mode::update).run(change);
    CAPTURE(change);
    CHECK_THROWS_WITH_AS(read_cluster(file), doctest::Contains(message.c_str()), ovlp::io_error);
  };
  refused("UPDATE holding SET job = 40 WHERE rowid = 3",
          "c.sqlite': table holding, row 3, column 3: expected a whole number of at least 0 and below 40");
  refused("UPDATE result SET start_s = 'soon' WHERE job = 2",
          "table result, row 3, column 3: expected a number that can be");
  refused("UPDATE stretch SET efficiency = 9e999 WHERE rowid = 1", "table stretch, row 1, column 6: expected a number");
  refused("UPDATE stretch SET efficiency = 1.5 WHERE rowid = 1", "an efficiency is not of 0 to 1");
  refused("UPDATE result SET held_node_s = held_node_s + 1 WHERE job = 1", "scheduler 'easy': accounts of a cluster: ");
  refused("DELETE FROM result WHERE job = 5", "is lost");
  for (char const* change : {"end_s = end_s + 1", "start_s = start_s + 0.001", "most_nodes = 77", "first_nodes = 77"})
    refused("UPDATE result SET " + std::string(change) + " WHERE job = 2 AND run = 0", "accounts of a cluster: job '");
  refused("UPDATE job SET name = 'a' || char(27) WHERE job = 1", "table job, row 2, column 2: expected text without");
  refused("UPDATE job SET arrival_s = -1 WHERE job = 0", "table job, row 1, column 4: expected a number");
  refused("DELETE FROM run", "has no run");
  {
    std::string const of_others = folder.path() / "others.sqlite";
    workload other = of;
    other.jobs[0].arrival_s += 1e-3;
    store_cluster(of_others, {simulated(other, 32, "easy", 1)});
    store_cluster(file, runs);
    CHECK(read_clusters({file, file}).runs.size() == 2 * runs.size());
    CHECK_THROWS_WITH_AS(read_clusters({file, of_others}),
                         doctest::Contains("others.sqlite': expected runs of the jobs of '"), ovlp::config_error);
  }
  refused("PRAGMA user_version = 9", "runs of a cluster of version 9: expected version 2, that of this ovlp");
  refused("CREATE VIEW v AS SELECT 1", "table 'v': expected the tables of ovlp cluster -o");
  refused("PRAGMA application_id = 9", "expected runs of a cluster, as ovlp cluster -o writes them");
  CHECK_THROWS_AS(store_cluster(file, runs), ovlp::config_error);  // it is somebody's
}

TEST_CASE(
    "a job that changes holds nodes that leave until their states have moved, and those that come from the order") {
  workload of{.name = "one", .nodes = 8, .jobs = {divisible(0, {2, 4, 8}, 4, 400, 4, 5)}};
  by_function decides([](known const& now, std::vector<order>& orders) {
    if (!now.waiting.empty()) orders.push_back({order::kind_type::start, 0, 4});
    if (now.running.empty() || !now.running[0].at_border) return;
    if (now.running[0].iterations == 1) orders.push_back({order::kind_type::hold, 0, 2});
    if (now.running[0].iterations == 3) orders.push_back({order::kind_type::hold, 0, 8});
  });
  cluster_run const run = simulate(of, {8, 10}, "test", decides);
  // Launched in 10 s; iterations of 25 s; 5 s of moving; two of 50 s; launched in 10 s, 5 s of moving; 12.5 s.
  CHECK(run.jobs[0].end_s == doctest::Approx(10 + 25 + 5 + 100 + 15 + 12.5));
  CHECK(run.jobs[0].changes == 2);
  CHECK(run.held_node_s == doctest::Approx(4 * 40 + 2 * 100 + 8 * 27.5));
  std::vector<std::pair<double, node_count>> held;
  for (holding const& one : run.holdings) held.emplace_back(one.at_s, one.nodes);
  CHECK(held == std::vector<std::pair<double, node_count>>{{0, 4}, {40, 2}, {140, 8}, {167.5, 0}});
}

TEST_CASE("a job that has run for its requested time is ended, if the workload says so") {
  workload of{.name = "two", .nodes = 4, .jobs = {rigid(0, 4, 100, 30), rigid(1, 4, 10, 10)}};
  CHECK(simulated(of, 4, "fcfs").jobs[1].start_s == 100);
  of.ends_jobs = true;
  cluster_run const run = simulated(of, 4, "fcfs");
  CHECK(run.jobs[0].end == job_result::end_type::ended_at_limit);
  CHECK(run.jobs[1].start_s == 30);
  CHECK(run.held_node_s == 4 * 40);
}

TEST_CASE("jobs that are to be ended have to say when, and names have no control characters") {
  ovlp::testing::temporary_folder const folder;
  auto const read = [&](std::string const& rest) {
    return read_workload(folder.file("w.json", R"({"workload": "w", "nodes": 4, )" + rest));
  };
  std::string const job = R"("jobs": [{"name": "a", "arrival_s": 0, "nodes": 1, "time_s": 7}]})";
  CHECK(read(job).jobs.size() == 1);
  CHECK_THROWS_AS(read(R"("ends_jobs": true, )" + job), ovlp::config_error);
  CHECK_THROWS_AS(read(R"("jobs": [{"name": "a\u001b[31m", "arrival_s": 0, "nodes": 1, "time_s": 7}]})"),
                  ovlp::config_error);
}

TEST_CASE("a compressed log that has lost its end is refused, wherever it was cut") {
  ovlp::testing::temporary_folder const folder;
  std::string log;
  for (int job = 1; job <= 200; ++job)
    log += std::to_string(job) + " " + std::to_string(10 * job) + " 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n";
  folder.file("log.swf", log);
  std::string const file = (folder.path() / "log.swf.gz").string();
  REQUIRE(ovlp::base::run({{"gzip", "-k", (folder.path() / "log.swf").string()}}).good());
  CHECK(read_workload(file).jobs.size() == 200);
  std::string const whole = ovlp::base::read_file(file);
  for (std::size_t const cut : {std::size_t{4}, std::size_t{8}, whole.size() / 2, whole.size() - 30}) {
    folder.file("log.swf.gz", whole.substr(0, whole.size() - cut));
    CHECK_THROWS_AS(read_workload(file), ovlp::config_error);
  }
}

TEST_CASE("jobs can get forecasts of ours, for as many more nodes as they ask for and as much longer") {
  job const other = divisible(0, {1, 2, 3, 4}, 2, 100);
  workload of{.name = "w", .nodes = 8, .jobs = {rigid(0, 4, 300, 300), rigid(0, 1, 50, 50)}};
  make_malleable(of, 1, {.like = {other}}, 1);
  CHECK(of.jobs[0].possible == std::vector<node_count>{2, 4, 6, 8});
  CHECK(of.jobs[1].possible == std::vector<node_count>{1, 2});
  for (job const& one : of.jobs) {
    CHECK(one.expected.iterations() == other.expected.iterations());
    CHECK(one.expected.nodes() == one.possible);
  }
  CHECK(of.jobs[0].time_s() == doctest::Approx(300));
  CHECK(of.jobs[0].expected.rest_with_s(8, 0) == doctest::Approx(150));
  CHECK(of.jobs[1].expected.rest_with_s(2, 0) == doctest::Approx(25));
}

TEST_CASE("higher priorities are served first") {
  workload of{.name = "three", .nodes = 4, .jobs = {rigid(0, 4, 10, 10), rigid(1, 4, 10, 10), rigid(2, 4, 10, 10)}};
  of.jobs[2].priority = 1;
  for (char const* scheduler : {"fcfs", "easy", "equipartition", "efficiency", "gain"}) {
    CAPTURE(scheduler);
    CHECK(starts_of(simulated(of, 4, scheduler)) == std::vector<double>{0, 20, 10});
  }
}

TEST_CASE("equal shares: a job makes room for one that comes, and grows when that has gone") {
  workload const of{
      .name = "two", .nodes = 8, .jobs = {divisible(0, {1, 2, 4, 8}, 8, 800), divisible(15, {1, 2, 4, 8}, 8, 80)}};
  cluster_run const run = simulated(of, 8, "equipartition");
  std::map<double, node_count> first;
  for (holding const& one : run.holdings) {
    if (one.job == 0) first[one.at_s] = one.nodes;
  }
  CHECK(first[0] == 8);
  CHECK(first[20] == 4);  // its next border
  CHECK(run.jobs[1].start_s == 20);
  CHECK(run.jobs[0].most_nodes == 8);
  CHECK(first.rbegin()->first == doctest::Approx(run.jobs[0].end_s));
}

TEST_CASE("under gain no job spends more node-seconds than it would with the nodes it asks for") {
  random_rounds(20, [](std::mt19937_64& random) {
    workload of = make_synthetic({100, 64, 0.9, random()});
    make_malleable(of, 1, {0.5, 20, 0.0}, random());
    cluster_run const run = simulated(of, 64, "gain");
    for (std::size_t j = 0; j < of.jobs.size(); ++j) {
      auto const& expected = of.jobs[j].expected;
      double const asked_node_s = of.jobs[j].requested * expected.rest_s(*expected.place_of(of.jobs[j].requested), 0);
      // What waits for its next border is held, too: at most an iteration.
      CHECK(run.jobs[j].held_node_s <= asked_node_s * (1 + 1e-9));
    }
  });
}

TEST_CASE("an order that cannot be carried out is an error that names the scheduler, the job and what was expected") {
  workload const of{.name = "two", .nodes = 4, .jobs = {rigid(0, 3, 10, 10), rigid(0, 3, 10, 10)}};
  auto const refused = [&](std::vector<order> const& orders, std::string const& expected) {
    by_function decides([&](known const&, std::vector<order>& all) { all = orders; });
    CHECK_THROWS_WITH_AS(simulate(of, {4, {}}, "mine", decides),
                         ("scheduler mine at 0.000000 s: order to " + expected).c_str(), ovlp::config_error);
  };
  using enum order::kind_type;
  refused({{start, 7, 3}}, "start job 7 on 3 nodes: expected a job of the workload");
  refused({{start, 0, 2}}, "start job 0 on 2 nodes: expected a number that it can hold");
  refused({{start, 0, 3}, {start, 1, 3}}, "start job 1 on 3 nodes: expected no more than the 1 free nodes");
  refused({{start, 0, 3}, {start, 0, 3}}, "start job 0 on 3 nodes: expected a job that waits");
  refused({{hold, 1, 3}}, "hold job 1 on 3 nodes: expected a job that runs");
  by_function idle([](known const&, std::vector<order>&) {});
  CHECK_THROWS_WITH_AS(simulate(of, {4, {}}, "mine", idle),
                       "scheduler mine: 2 jobs wait, none runs, and it starts none; the first is 'job'",
                       ovlp::config_error);
  CHECK_THROWS_WITH_AS(simulated(of, 2, "fcfs"), "job 'job': expected at most the 2 nodes of the cluster, got 3",
                       ovlp::config_error);
}

/// As it ends with `what`, which decides, at so many seconds.
void check_failure(workload const& of, std::string const& what, double patience_s, std::string const& why) {
  auto const decides = make_scheduler(what, patience_s);
  CHECK_THROWS_WITH_AS(simulate(of, {4, {}}, what, *decides), ("scheduler " + what + " at " + why).c_str(),
                       ovlp::config_error);
}

TEST_CASE("a program that decides is told what is new, and its orders are carried out") {
  ovlp::testing::temporary_folder const folder;
  std::string const told = folder.path() / "told";
  std::string const answers = folder.file("answers",
                                          "[{\"start\": 0, \"nodes\": 2}]\n"
                                          "[]\n"
                                          "[{\"hold\": 0, \"nodes\": 1}]\n"
                                          "[{\"start\": 1, \"nodes\": 2}]\n"
                                          "[{\"end\": 0}]\n"
                                          "[]\n");
  std::string const file = folder.file("mine",
                                       "#!/bin/sh\nexec 3<" + answers + " 4>" + told +
                                           "\nwhile read -r line; do echo \"$line\" >&4; read -r answer <&3; "
                                           "echo \"$answer\"; done\necho over >&4\n",
                                       true);
  workload of{.name = "two", .nodes = 4, .jobs = {divisible(0, {1, 2, 4}, 2, 8, 2, 1), rigid(1, 2, 3, 5)}};
  of.jobs[0].user = "u";
  of.jobs[1].priority = 1;
  auto decides = make_scheduler(file, 50);
  cluster_run const run = simulate(of, {4, {}}, "mine", *decides);
  decides.reset();
  CHECK(starts_of(run) == std::vector<double>{0, 3});
  CHECK(run.jobs[0].end == job_result::end_type::ended_by_scheduler);
  CHECK(run.jobs[0].end_s == 6);
  // A border of job 0, which has given a node back at 3; the end of job 1.
  CHECK(ovlp::testing::contents(told) ==
        R"({"now_s":0.0,"nodes":4,"free":4,"jobs":[{"job":0,"name":"job","user":"u","arrival_s":0.0,"requested":2,)"
        R"("possible":[1,2,4],"requested_s":4.0,"priority":0,"held":0,"forecast":{"iterations":2,"change_s":1.0,)"
        R"("nodes":[1,2,4],"time_s":[[4.0],[2.0],[1.0]]}}],"ended":[]})"
        "\n"
        R"({"now_s":1.0,"nodes":4,"free":2,"jobs":[{"job":1,"name":"job","user":"","arrival_s":1.0,"requested":2,)"
        R"("possible":[2],"requested_s":5.0,"priority":1,"held":0},{"job":0,"held":2,"target":2,"at_border":false,)"
        R"("iterations":0,"start_s":0.0,"spent_node_s":2.0,"measured_efficiency":1.0}],"ended":[]})"
        "\n"
        R"({"now_s":2.0,"nodes":4,"free":2,"jobs":[{"job":0,"held":2,"target":2,"at_border":true,"iterations":1,)"
        R"("start_s":0.0,"spent_node_s":4.0,"measured_efficiency":1.0}],"ended":[]})"
        "\n"
        R"({"now_s":3.0,"nodes":4,"free":3,"jobs":[{"job":0,"held":1,"target":1,"at_border":false,"iterations":1,)"
        R"("start_s":0.0,"spent_node_s":6.0,"measured_efficiency":1.0}],"ended":[]})"
        "\n"
        R"({"now_s":6.0,"nodes":4,"free":3,"jobs":[],"ended":[1]})"
        "\nover\n");
}

TEST_CASE("a program that decides, and does not answer with orders, ends the run in a line that says why") {
  ovlp::testing::temporary_folder const folder;
  workload const of{.name = "two", .nodes = 4, .jobs = {rigid(0, 3, 10, 10), rigid(1, 3, 10, 10)}};
  auto const fails = [&](std::string const& script, std::string const& why, double patience_s = 50) {
    std::string const pid = folder.path() / "pid";
    std::string const file = folder.file("mine", "#!/bin/sh\necho $$ >" + pid + "\n" + script + "\n", true);
    CAPTURE(script);
    check_failure(of, file, patience_s, why);
    std::string const id = ovlp::testing::contents(pid);  // none: it has been ended before it said it
    CHECK((id.empty() || ovlp::testing::contents(ovlp::testing::proc_of(std::stoi(id)) / "cmdline").empty()));
  };
  auto const answer = [&](std::string const& line, std::string const& why) {
    fails("read -r line; echo '" + line + "'; read -r line", "0.000000 s: " + why);
  };
  answer("3", "expected a list of orders, got 3");
  answer("[3]", "[0]: expected an object, got 3");
  answer("[{}]", "[0]: expected one of start, hold and end, got {}");
  answer(R"([{"start": 0, "end": 0}])", R"([0]: expected one of start, hold and end, got {"end":0,"start":0})");
  answer(R"([{"start": 0}])", "[0].nodes: missing");
  answer(R"([{"start": 0, "nodes": 3, "at": 1}])", "[0].at: unknown key; expected end, hold, nodes, start");
  answer(R"([{"start": 0, "nodes": 3}, {"end": 0, "nodes": 3}])", "[1].nodes: unknown key; expected end, hold, start");
  answer(R"([{"start": "0", "nodes": 3}])", R"([0].start: expected a whole number from 0 to 4294967295, got "0")");
  answer(R"([{"start": 0, "nodes": 1.5}])", "[0].nodes: expected a whole number from 0 to 4294967295, got 1.5");
  answer(R"([{"start": 0, "nodes": 4294967296}])",
         "[0].nodes: expected a whole number from 0 to 4294967295, got 4294967296");
  answer(R"([{"start": -1, "nodes": 3}])", "[0].start: expected a whole number from 0 to 4294967295, got -1");
  answer(R"([{"start": 7, "nodes": 3}])", "order to start job 7 on 3 nodes: expected a job of the workload");
  fails("printf '[]\\n[]\\n'; sleep 1000", "1.000000 s: expected one line of orders, got another: '[]'");
  fails("cat /dev/zero", "0.000000 s: expected a line of orders, got one that does not end");
  fails("exec 0<&- 1>&-; sleep 1000", "0.000000 s: expected an answer, got none: it has closed its output");
  fails("exit 3", "0.000000 s: expected an answer, got none: it has ended: ended with status 3");
  fails("read -r line; echo '[]'; read -r line; echo first >&2; echo 'KeyError: 7' >&2; exit 1",
        "1.000000 s: expected an answer, got none: it has ended: KeyError: 7");
  fails("while :; do :; done", "0.000000 s: expected an answer within 0.5 s, got none", 0.5);
}

TEST_CASE("a program that decides, and does not read what it is told, is not waited for longer") {
  ovlp::testing::temporary_folder const folder;
  std::vector<job> const many(10'000, rigid(0, 1, 1, 1));  // more than a socket holds
  workload const of{.name = "many", .nodes = 4, .jobs = many};
  check_failure(of, folder.file("mine", "#!/bin/sh\nsleep 1000\n", true), 0.5,
                "0.000000 s: expected an answer within 0.5 s, got none");
  check_failure(of, folder.file("fast", "#!/bin/sh\necho '[]'; exec yes >&2\n", true), 0.5,
                "0.000000 s: expected an answer within 0.5 s, got none");
}

TEST_CASE("a program that cannot decide, for it cannot be run, is named at once") {
  ovlp::testing::temporary_folder const folder;
  CHECK_THROWS_WITH_AS(make_scheduler("./nowhere", 1),
                       "scheduler ./nowhere: expected a program that can be run, got none", ovlp::config_error);
  std::string const text = folder.file("text", "no program", true);
  CHECK_THROWS_WITH_AS(make_scheduler(text, 1),
                       ("scheduler " + text + ": expected a program that can be run, got none: '" + text +
                        "' cannot be started: Exec format error")
                           .c_str(),
                       ovlp::config_error);
}

TEST_CASE("a log in the Standard Workload Format is read, and what is left out is said once") {
  std::string const log =
      "; Computer: a machine\n"
      "; MaxProcs: 64\n"
      ";\n"
      "1 0 5 100 16 -1 -1 16 200 -1 1 7 -1 -1 -1 -1 -1 -1\n"
      "2 20 5 100 -1 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "3 10 5 50 4 -1 -1 -1 60 -1 1 7 -1 -1 -1 -1 -1 -1\n"
      "4 30 0 0 4 -1 -1 4 60 -1 5 7 -1 -1 -1 -1 -1 -1\n"
      "5 30 0 -1 4 -1 -1 4 60 -1 5 7 -1 -1 -1 -1 -1 -1\n"
      "6 30 0 10 128 -1 -1 128 60 -1 1 7 -1 -1 -1 -1 -1 -1\n";
  workload const read = read_swf(log, "log.swf");
  CHECK(read.name == "a machine");
  CHECK(read.nodes == 64);
  REQUIRE(read.jobs.size() == 3);
  CHECK(read.jobs[0].user == "7");
  CHECK(read.jobs[0].requested_s == 200);
  CHECK(read.jobs[1].name == "3");
  CHECK(read.jobs[1].requested == 4);
  CHECK(read.jobs[2].requested == 8);
  CHECK(read.jobs[2].requested_s == 100);
  CHECK(read.notes == std::vector<std::string>{"jobs are not in the order of their arrival: sorted",
                                               "left out 2 jobs cancelled before they ran",
                                               "left out 1 jobs that ask for more than the 64 processors of the "
                                               "machine"});
  CHECK_THROWS_WITH_AS(read_swf("1 2 3\n", "log.swf"),
                       "log.swf:1: expected the 18 fields of the Standard Workload Format, got 3", ovlp::config_error);
  CHECK_THROWS_WITH_AS(read_swf("; nothing\n", "log.swf"), "log.swf: expected jobs, got none", ovlp::config_error);
}

TEST_CASE("output of sacct is read by its headings") {
  workload const read = read_sacct(
      "JobID|User|NNodes|Submit|Start|End|Timelimit|State\n"
      "1|a|4|2024-01-01T00:00:00|2024-01-01T00:10:00|2024-01-01T01:00:00|1-00:00:00|COMPLETED\n"
      "1.batch||1|2024-01-01T00:10:00|2024-01-01T00:10:00|2024-01-01T01:00:00||COMPLETED\n"
      "2|b|2|2024-01-01T00:00:30|Unknown|Unknown|00:30:00|PENDING\n",
      "sacct.txt");
  REQUIRE(read.jobs.size() == 1);
  CHECK(read.jobs[0].user == "a");
  CHECK(read.jobs[0].requested == 4);
  CHECK(read.jobs[0].requested_s == 86400);
  CHECK(read.jobs[0].expected.rest_s(0, 0) == 3000);
  CHECK(read.notes == std::vector<std::string>{"left out 1 jobs that did not start, or have not ended"});
  CHECK_THROWS_WITH_AS(read_sacct("JobID,Submit\n", "sacct.csv"),
                       "sacct.csv:1: expected the columns JobID, Submit, Start, End and NNodes of sacct, got no Start",
                       ovlp::config_error);
}

TEST_CASE("a workload that is written is the one that is read") {
  ovlp::testing::temporary_folder const folder;
  workload made = make_synthetic({20, 32, 0.9, 3});
  make_malleable(made, 0.5, {}, 3);
  made.jobs[3].user = "u";
  made.jobs[4].priority = 2;
  std::string const text = workload_text(made);
  workload const read = read_workload(folder.file("workload.json", text));
  CHECK(workload_text(read) == text);
  CHECK(read.notes.empty());
}

TEST_CASE("speedups of profiles are those of their sources") {
  CHECK(amdahl_speedup(0.1, 10) == doctest::Approx(1 / 0.19));
  for (double const sigma : {0.0, 0.5, 1.0, 2.0}) {
    CHECK(downey_speedup(16, sigma, 1) == doctest::Approx(1));
    CHECK(downey_speedup(16, sigma, 1e6) == doctest::Approx(16));
  }
  CHECK(downey_speedup(16, 0, 8) == doctest::Approx(8));
  CHECK(downey_speedup(16, 1, 16) == doctest::Approx(downey_speedup(16, 1 + 1e-12, 16)));
}
