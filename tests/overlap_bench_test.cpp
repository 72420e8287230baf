// SPDX-License-Identifier: BSD-3-Clause
// How much work operations hide: the search, with operations whose answer is known; the simulation beside closed forms;
// and the command `ovlp overlap bench`.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/object_type.hpp>

#include "bench/flow_graph/trials.hpp"
#include "bench/results.hpp"
#include "bench/search.hpp"
#include "support/process.hpp"
#include "support/seed.hpp"

namespace {

using namespace std::chrono_literals;
using namespace ovlp::overlap_bench;
using ovlp::base::outcome;
using words = std::vector<std::string>;

constexpr search_options exactly{0, 1, 0, 1, 1e-9, 0};

/// An operation whose runs take as long as this says.
measurement always(std::function<run_times(double work_s)> const& times) {
  return [=](double work_s, std::size_t runs) { return std::vector<run_times>(runs, times(work_s)); };
}

/// Takes 2 ms and hides this part of that.
double total_s(double work_s, double hidden) { return 2e-3 + std::max(0.0, work_s - hidden * 2e-3); }

/// The same, by chance longer: times the larger of 1 and what is drawn.
measurement noisy(double hidden, std::uint64_t seed, std::function<double(std::mt19937_64&)> const& draw) {
  return [=, random = std::mt19937_64(seed)](double work_s, std::size_t runs) mutable {
    std::vector<run_times> all;
    for (std::size_t i = 0; i < runs; ++i) all.push_back({total_s(work_s, hidden) * std::max(1.0, draw(random)), 0, 0});
    return all;
  };
}

}  // namespace

TEST_CASE("the work that an operation hides is found to the resolution") {
  for (double const hidden : {0.0, 0.1, 0.5, 0.731, 1.0}) {
    CAPTURE(hidden);
    auto const measure = always([&](double work_s) { return run_times{total_s(work_s, hidden), 0, 0}; });
    hidden_work const exact = find_hidden_work(measure, exactly);
    CHECK(exact.reference_s == 2e-3);
    CHECK(exact.reference_error_s == 0);
    CHECK(std::abs(exact.work_s - hidden * 2e-3) < 1e-8 * 2e-3);
    CHECK(exact.too_much_s - exact.work_s <= 1e-9 * 2e-3);

    search_options coarse;
    coarse.resolution = 0.05;
    CHECK(std::abs(measure_overlap(measure, coarse).hidden - hidden) <= 0.05);
  }
}

TEST_CASE("an operation that its post completes hides what is left of it") {
  // Posting takes 0.5 ms, in which no work is done; the rest goes on by itself.
  overlap const found = measure_overlap(always([](double work_s) {
                                          double const end_s = std::max(2e-3, 0.5e-3 + work_s);
                                          return run_times{end_s, 0.5e-3, end_s - 0.5e-3 - work_s};
                                        }),
                                        exactly);
  CHECK(found.hidden == doctest::Approx(0.75).epsilon(1e-6));
  CHECK(found.post == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(found.wait == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("the wait is what is left after the most work that can be hidden") {
  // It makes progress only when waited for, but for its first quarter.
  overlap const found = measure_overlap(always([](double work_s) {
                                          return run_times{total_s(work_s, 0.25), 0, 1.5e-3};
                                        }),
                                        exactly);
  CHECK(found.hidden == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(found.wait == doctest::Approx(0.75).epsilon(1e-6));
}

TEST_CASE("noise moves the share by a few points, and the interval says how far") {
  std::uint64_t const seed = ovlp::testing::new_seed();
  std::normal_distribution<double> normal(1, 0.02);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::function<double(std::mt19937_64&)> draw;
  SUBCASE("of a normal distribution") { draw = normal; }
  SUBCASE("with one run in ten that takes five times as long") {
    draw = [=](auto& random) mutable { return uniform(random) < 0.1 ? 5.0 : normal(random); };
  }
  for (double const hidden : {0.0, 0.3, 0.9}) {
    CAPTURE(hidden);
    overlap const found = measure_overlap(noisy(hidden, seed, draw), {});
    CHECK(found.hidden == doctest::Approx(hidden).epsilon(0.05).scale(1));
    CHECK(found.hidden_low <= found.hidden);
    CHECK(found.hidden_high >= found.hidden);
    CHECK(found.reference_s == doctest::Approx(2e-3).epsilon(0.03));
    CHECK(found.reference_error_s > 0);
  }
}

TEST_CASE("a trial may be longer than the reference by the tolerance") {
  search_options options = exactly;
  options.tolerance = 0.05;
  auto const measure = always([](double work_s) { return run_times{total_s(work_s, 0.6), 0, 0}; });
  CHECK(find_hidden_work(measure, options).work_s == doctest::Approx(1.3e-3).epsilon(1e-6));
}

TEST_CASE("a trial that fails by chance passes when it is repeated") {
  search_options options = exactly;
  options.validations = 1;
  int trials = 0;
  auto const measure = always([&](double work_s) {
    bool const disturbed = work_s > 0 && ++trials % 2 == 1;  // each first try
    return run_times{total_s(work_s, 0.6) + (disturbed ? 1.0 : 0.0), 0, 0};
  });
  CHECK(find_hidden_work(measure, options).work_s == doctest::Approx(1.2e-3).epsilon(1e-6));
  options.validations = 0;
  trials = 0;
  CHECK(find_hidden_work(measure, options).work_s < 1.2e-3);
}

TEST_CASE("no trial has more work than the operation takes, and its runs are as many as asked for") {
  search_options options;
  options.warm_up = 3;
  options.searches = 2;
  std::vector<std::size_t> unworked;
  measure_overlap(
      [&](double work_s, std::size_t runs) {
        CHECK(work_s <= 2e-3);
        if (work_s == 0) unworked.push_back(runs);
        else CHECK(runs == options.runs);
        return std::vector<run_times>(runs, {2e-3, 0, 0});
      },
      options);
  CHECK(unworked == std::vector<std::size_t>{3, 20, 3, 20});
}

TEST_CASE("a reference that scatters gets more runs, and so do its trials") {
  std::mt19937_64 random(ovlp::testing::new_seed());
  std::normal_distribution<double> normal(2e-3, 2e-4);
  search_options options;
  options.warm_up = 0;
  options.searches = 1;
  options.resolution = 0.02;  // of 10 %, 1.25 / sqrt(n) of which is the standard error: some 40 runs
  std::size_t unworked = 0;
  std::vector<std::size_t> worked;
  auto const measure = [&](double work_s, std::size_t runs) {
    if (work_s == 0) unworked += runs;
    else worked.push_back(runs);
    std::vector<run_times> all;
    for (std::size_t i = 0; i < runs; ++i) all.push_back({normal(random), 0, 0});
    return all;
  };
  measure_overlap(measure, options);
  CHECK(unworked >= 20);
  CHECK(unworked <= 120);
  CHECK(std::all_of(worked.begin(), worked.end(), [&](std::size_t runs) { return runs == unworked; }));

  options.resolution = 1e-6;
  unworked = 0;
  measure_overlap(measure, options);
  CHECK(unworked == 200);
}

TEST_CASE("an operation that takes no time is refused") {
  CHECK_THROWS_WITH_AS(find_hidden_work(always([](double) {
                                          return run_times{0, 0, 0};
                                        }),
                                        exactly),
                       "the operation takes no time: there is nothing to overlap with", ovlp::config_error);
}

TEST_CASE("the standard error of a median is that of the normal distribution's, and knows no outliers") {
  CHECK(standard_error_of_median({3}) == 0);
  std::mt19937_64 random(ovlp::testing::new_seed());
  std::normal_distribution<double> normal(10, 1);
  double sum = 0, with_outlier = 0;
  constexpr int samples = 4000;
  for (int i = 0; i < samples; ++i) {
    std::vector<double> values(40);
    for (double& value : values) value = normal(random);
    sum += standard_error_of_median(values);
    values[0] = 1e6;
    with_outlier += standard_error_of_median(values);
  }
  // Of n values: sqrt(pi / 2) / sqrt(n), as n grows.
  CHECK(sum / samples == doctest::Approx(std::sqrt(3.14159265 / 2 / 40)).epsilon(0.08));
  CHECK(with_outlier / samples == doctest::Approx(sum / samples).epsilon(0.2));
}

TEST_CASE("the size for a time is the least power of two that takes as long") {
  auto const time_s = [](std::size_t bytes) { return 1e-5 + 1e-9 * static_cast<double>(bytes); };
  CHECK(bytes_that_take(1e-3, 1 << 30, time_s) == 1 << 20);
  CHECK(bytes_that_take(1e-6, 1 << 30, time_s) == 8);
  CHECK_THROWS_WITH_AS(bytes_that_take(1, 1 << 20, time_s),
                       "the operation takes less than 1.000000 s with up to 1048576 bytes", ovlp::config_error);
}

namespace {

constexpr double latency_s = 1e-4, bandwidth_Bps = 1e8;
constexpr double in1 = 0.1, in3 = 0.2, out1 = 0.05, out3 = 0.18;  // of a core, by transfers

std::string star(ovlp::testing::temporary_folder const& folder, int cores = 1) {
  return folder.file("star-" + std::to_string(cores) + ".json",
                     R"({"name": "star", "reference_core": "any", "nodes": [{"count": 5, "cores": )" +
                         std::to_string(cores) +
                         R"(, "speed": 1}], "network": {"model": "star", "latency_s": 1e-4, "bandwidth_Bps": 1e8},
    "comm_cpu": {"incoming": [0, 0.1, 0.15, 0.2], "outgoing": [0, 0.05, 0.12, 0.18]},
    "runtime": {"concurrent_per_pair": 1}})");
}

outcome ovlp_command(words arguments, std::vector<std::pair<std::string, std::string>> environment = {}) {
  arguments.insert(arguments.begin(), {OVLP_COMMAND, "overlap", "bench"});
  return ovlp::base::run({arguments, "", std::move(environment), 300s});
}

/// Of 4 nodes in a simulation; the rows without calls for progress.
std::vector<result> simulated(std::string const& platform, words arguments) {
  arguments.insert(arguments.end(),
                   {"--backend", "sim", "--nodes", "4", "--platform", platform, "--tolerance", "1e-9", "--csv", "-"});
  outcome const ran = ovlp_command(arguments);
  CHECK(ran.err == "");
  REQUIRE(ran.status == 0);
  std::vector<result> rows = read_results(ran.out, "csv");
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    CHECK(rows[i].slices == 1);
    CHECK(rows[i + 1].slices == 16);
    // A runtime that makes progress by itself gains nothing from being called.
    CHECK(rows[i + 1].measured.hidden == doctest::Approx(rows[i].measured.hidden).epsilon(1e-6));
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](auto const& row) { return row.slices > 1; }), rows.end());
  return rows;
}

/// Of a block on its way, with what stands beside its content.
double crossing_s(std::size_t bytes) {
  block const one{0, 0, ovlp::buffer<double>(bytes / sizeof(double))};
  return static_cast<double>(ovlp::type_of<block>().byte_count(&one)) / bandwidth_Bps;
}

struct expected {
  std::string operation;
  double reference_s, work_s;
};

void check(std::vector<result> const& rows, std::vector<expected> const& all) {
  REQUIRE(rows.size() == all.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(all[i].operation);
    CHECK(rows[i].operation == all[i].operation);
    CHECK(rows[i].ranks == 4);
    CHECK(rows[i].measured.reference_s == doctest::Approx(all[i].reference_s).epsilon(1e-6));
    CHECK(rows[i].measured.work_s == doctest::Approx(all[i].work_s).epsilon(1e-6));
    CHECK(rows[i].measured.hidden == doctest::Approx(all[i].work_s / all[i].reference_s).epsilon(1e-6));
    CHECK(rows[i].measured.hidden_high - rows[i].measured.hidden_low < 1e-8);
  }
}

}  // namespace

TEST_CASE("on a star each operation hides what communication leaves of a core") {
  // With P = 4 nodes, L the latency, and t what a block takes alone, three blocks that share a link take 3t. Until then
  // a core has L of itself, and of the rest what transfers leave it; the node that has least decides.
  ovlp::testing::temporary_folder const folder;
  std::size_t const bytes = 100'000;
  double const l = latency_s, t3 = 3 * crossing_s(bytes), note = crossing_s(0);
  double const from_root = l + t3 * (1 - out3), to_root = l + t3 * (1 - in3), all = l + t3 * (1 - in3 - out3);
  check(simulated(star(folder), {"--bytes", std::to_string(bytes)}),
        {{"broadcast", l + t3, from_root},
         {"scatter", l + t3, from_root},
         {"gather", l + t3, to_root},
         {"reduce", l + t3, to_root},
         {"all-reduce", 2 * (l + t3), to_root + from_root},
         {"all-gather", l + t3, all},
         {"all-to-all", l + t3, all},
         // Of 50,000, 100,000 and 150,000 bytes. The smallest blocks of all nodes end together, 3 at a time; then 2.
         {"all-to-allv", l + t3,
          l + 3 * crossing_s(50'000) * (1 - in3 - out3) +
              2 * (crossing_s(100'000) - crossing_s(50'000)) * (1 - 0.15 - 0.12) +
              (crossing_s(150'000) - crossing_s(100'000)) * (1 - in1 - out1)},
         // Two rounds, in each of which a node sends and receives one note.
         {"barrier", 2 * (l + note), 2 * (l + note * (1 - in1 - out1))}});
}

TEST_CASE("a second core takes what communication leaves, and all of the operation is hidden") {
  ovlp::testing::temporary_folder const folder;
  double const time_s = latency_s + 3 * crossing_s(80'000);
  check(simulated(star(folder, 2), {"--bytes", "80000", "broadcast", "all-to-all"}),
        {{"broadcast", time_s, time_s}, {"all-to-all", time_s, time_s}});
}

TEST_CASE("what the root adds up cannot be overlapped on its one core") {
  // It adds three blocks, when all have come, at a time of its own each; work that is not done by then takes longer.
  ovlp::testing::temporary_folder const folder;
  double const t3 = 3 * crossing_s(80'000), sums = 3 * 10'000 * 1e-8;
  check(simulated(star(folder), {"--bytes", "80000", "--add-ns", "10", "reduce"}),
        {{"reduce", latency_s + t3 + sums, latency_s + t3 * (1 - in3)}});
}

TEST_CASE("where a node runs one operation at a time, work holds up what depends on what comes") {
  // The second round of the barrier begins when the first one's note has been taken: after the work.
  ovlp::testing::temporary_folder const folder;
  outcome const ran =
      ovlp::base::run({{OVERLAP_BENCH_SIMULATED, "--nodes", "5", "--execution-threads", "1", "--execution", "partial",
                        "--no-alloc", "--tolerance", "1e-9", "--platform", star(folder), "barrier"}});
  REQUIRE(ran.status == 0);
  result const row = read_results(ran.out, "csv").front();
  double const note = crossing_s(0);
  CHECK(row.measured.reference_s == doctest::Approx(2 * (latency_s + note)).epsilon(1e-6));
  CHECK(row.measured.work_s == doctest::Approx(latency_s + note * (1 - in1 - out1)).epsilon(1e-6));
}

TEST_CASE("time-driven, an operation has the least size that takes as long") {
  ovlp::testing::temporary_folder const folder;
  std::size_t bytes = 8;
  while (latency_s + 3 * crossing_s(bytes) < 0.02) bytes *= 2;
  std::vector<result> const rows = simulated(star(folder), {"--time", "0.02", "gather", "barrier"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].bytes == bytes);
  CHECK(rows[0].measured.reference_s == doctest::Approx(latency_s + 3 * crossing_s(bytes)).epsilon(1e-6));
  CHECK(rows[1].bytes == 0);  // which no size makes longer
}

namespace {

void check_measured(std::string const& backend) {
  outcome const ran =
      ovlp_command({"--backend", backend, "--bytes", "20000", "--runs", "2", "--searches", "1", "--csv", "-"});
  CAPTURE(ran.err);
  REQUIRE(ran.status == 0);
  std::vector<result> const rows = read_results(ran.out, "csv");
  CHECK(rows.size() == 18);
  for (result const& row : rows) {
    CHECK(row.backend == backend);
    CHECK(row.ranks == 2);
    CHECK(row.bytes == (row.operation == "barrier" ? 0 : 20000));
    CHECK(row.measured.reference_s > 0);
    CHECK(row.measured.hidden_low <= row.measured.hidden);
    CHECK(row.measured.hidden <= row.measured.hidden_high);
    CHECK(row.measured.work_s <= row.measured.reference_s + 2 * row.measured.reference_error_s);
  }
}

void check_refused(outcome const& tried, std::string const& message) {
  CHECK(tried.status != 0);
  CHECK(tried.out == "");
  CHECK(tried.err == "ovlp: " + message + "\n");
}

/// Ends one of the processes that an endless measurement consists of, but the first. Returns what the command says.
std::string after_a_death(std::string const& backend) {
  std::string const bytes = std::to_string(1'000'000 + ::getpid());  // by which its processes are known
  ovlp::testing::process bench(
      {{OVLP_COMMAND, "overlap", "bench", "--backend", backend, "--bytes", bytes, "--runs", "1000000", "all-to-all"}});
  auto const is_rank = [&](pid_t id) {
    return ovlp::testing::contents(ovlp::testing::proc_of(id) / "comm").starts_with("overlap_bench");
  };
  std::vector<pid_t> ranks;
  REQUIRE(ovlp::testing::eventually(30s, [&] {
    ranks = ovlp::testing::processes_with(bytes);
    ranks.erase(std::remove_if(ranks.begin(), ranks.end(), std::not_fn(is_rank)), ranks.end());
    return ranks.size() == (backend == "mpi" ? 2 : 3);
  }));
  std::this_thread::sleep_for(1s);  // it need not be under way, but that is the case in question
  ::kill(*std::max_element(ranks.begin(), ranks.end()), SIGKILL);
  std::optional<int> const status = bench.wait(30s);
  REQUIRE(status.has_value());
  CHECK(*status == 1);
  CHECK(bench.out() == "");
  return bench.err();
}

}  // namespace

TEST_CASE("all operations are measured as flow graphs") { check_measured("real"); }

TEST_CASE("people get a table, and a picture") {
  ovlp::testing::temporary_folder const folder;
  std::string const csv = folder.path() / "bench.csv", picture = folder.path() / "bench.svg";
  outcome const ran = ovlp_command({"--backend", "sim", "--nodes", "4", "--platform", star(folder), "--csv", csv,
                                    "--picture", picture, "--bytes", "100000", "--tolerance", "1e-9", "broadcast"});
  CHECK(ran.err == "");
  CHECK(read_results(ovlp::testing::contents(csv), csv).size() == 2);
  std::vector<std::string> const lines = ovlp::testing::lines_of(ran.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].starts_with("broadcast    100000     none        3.1005 ±0.0000     2.5604    82.6%"));
  CHECK(lines[2].starts_with("broadcast    100000     15  "));
  std::string const drawn = ovlp::testing::contents(picture);
  for (char const* text : {"simulated, 4 nodes", ">broadcast<", "15 calls for progress"})
    CHECK_MESSAGE(drawn.find(text) != std::string::npos, text);
}

TEST_CASE("what cannot be measured is said in one line") {
  check_refused(ovlp_command({"all-to-none"}),
                "operation: expected one of broadcast, scatter, gather, reduce, all-reduce, all-gather, all-to-all, "
                "all-to-allv, barrier, got 'all-to-none'");
  check_refused(ovlp_command({"--platform", "gigabit"}),
                "overlap bench: --platform and --add-ns: expected with --backend sim, got --backend real");
  check_refused(ovlp_command({"--backend", "sim", "--platform", "nowhere.json", "barrier"}),
                "overlap bench: overlap_bench: nowhere.json: cannot be read: No such file or directory");
  check_refused(ovlp_command({"--backend", "sim", "--runs", "many", "barrier"}),
                "overlap bench: overlap_bench: --runs: expected a whole number of at least 0, got 'many'");
  check_refused(ovlp_command({"--backend", "sim", "--time", "1000", "broadcast"}),
                "overlap bench: overlap_bench: broadcast: the operation takes less than 1000.000000 s with up to "
                "1073741824 bytes");
  check_refused(ovlp_command({"--picture", "bench.gif", "barrier"}),
                "--picture: expected a name that ends in .svg or .png, got 'bench.gif'");
  check_refused(ovlp_command({"--runs", "1000000", "--time-limit", "1", "barrier"}),
                "overlap bench: took longer than the 1 s of --time-limit");
}

TEST_CASE("a node that dies ends the measurement") {
  std::string const said = after_a_death("real");
  CHECK(said.starts_with("ovlp: overlap bench: overlap_bench: node"));
  CHECK(said.find("is lost") != std::string::npos);
  CHECK(ovlp::testing::count(said, "\n") == 1);
}

#ifdef OVERLAP_BENCH_MPI
TEST_CASE("all operations are measured as MPI's collectives") { check_measured("mpi"); }

TEST_CASE("without mpirun nothing is measured") {
  check_refused(ovlp_command({"--backend", "mpi", "barrier"}, {{"PATH", "/nonexistent"}}),
                "'mpirun.openmpi' is not on PATH, or no file");
}

TEST_CASE("a rank that dies ends the measurement") {
  std::string const said = after_a_death("mpi");
  CHECK(said.starts_with("ovlp: overlap bench: mpirun.openmpi noticed that process rank"));
  CHECK(ovlp::testing::count(said, "\n") == 1);
}
#endif
