// SPDX-License-Identifier: BSD-3-Clause
// Runs whose threads wait for processors say so. Each shares its only core with a process that spins; how much it
// waits depends on the machine, so only that it waits is checked.
#include <doctest/doctest.h>

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include <ovlp/base/host.hpp>
#include <ovlp/base/processor_waits.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/store/open_run.hpp>

#include "support/process.hpp"

using namespace ovlp::testing;
using ovlp::base::outcome;
using ovlp::base::processor_waits;
using ovlp::base::run;

namespace {

/// From now on this process, and what it starts, have one core, on which another process spins.
class crowded_core {
 public:
  crowded_core() {
    REQUIRE(::sched_getaffinity(0, sizeof before_, &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t core = 0; CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    spinning_ = ::fork();
    while (spinning_ == 0) {
    }
    REQUIRE(spinning_ > 0);
  }
  ~crowded_core() {
    ::kill(spinning_, SIGKILL);
    ::waitpid(spinning_, nullptr, 0);
    ::sched_setaffinity(0, sizeof before_, &before_);
  }
  crowded_core(crowded_core const&) = delete;
  crowded_core& operator=(crowded_core const&) = delete;

 private:
  cpu_set_t before_{};
  pid_t spinning_ = 0;
};

void compute_for(double cpu_s) {
  double const until_s = ovlp::base::thread_cpu_s() + cpu_s;
  while (ovlp::base::thread_cpu_s() < until_s) {
  }
}

/// Of fair shares it would be 1 for each process that spins there.
constexpr double least_share = 0.2;

}  // namespace

TEST_CASE("waits of all threads of a process are added up, since the last time") {
  processor_waits waits(false);
  if (!waits.take()) return;  // this system does not tell
  crowded_core const crowded;
  waits.take();
  std::thread other([] { compute_for(0.3); });
  compute_for(0.3);
  auto const both = waits.take();
  other.join();
  CHECK(both->cpu_s >= 0.3);
  CHECK(both->waited_s >= least_share * both->cpu_s);
  waits.take();
  CHECK(waits.take()->cpu_s < 0.1);
}

TEST_CASE("a warning says how long threads waited, where it matters") {
  CHECK(ovlp::warning_of({}).empty());
  CHECK(ovlp::warning_of({0, 5}).empty());       // not known
  CHECK(ovlp::warning_of({100, 1}).empty());     // a per cent
  CHECK(ovlp::warning_of({0.1, 0.19}).empty());  // too short to speak of
  CHECK(ovlp::warning_of({10, 6.5}).starts_with(
      "its threads waited 6.50 s for processors, for 10.00 s that it used (65 %)"));
}

TEST_CASE("a measured run that waited for processors says so in all that it writes") {
  if (!processor_waits(false).take()) return;
  crowded_core const crowded;
  temporary_folder const folder;
  std::string const summary = folder.path() / "s.json", csv = folder.path() / "e.csv",
                    record = folder.path() / "r.sqlite";
  outcome const ran = run({{FAILURES_APP, "--nodes", "2", "--mode", "compute", "--tasks", "6", "--seconds", "0.1",
                            "--summary", summary, "--efficiency", csv, "--record", record}});
  CAPTURE(ran.err);
  REQUIRE(ran.good());
  CHECK(count(ran.err, "failures_app: warning: its threads waited ") == 1);
  nlohmann::json const host = nlohmann::json::parse(contents(summary)).at("host");
  double const cpu_s = host.at("cpu_s"), waited_s = host.at("waited_s");
  CHECK(cpu_s > 0);
  CHECK(waited_s >= least_share * cpu_s);
  CHECK(host.at("warning").get<std::string>().starts_with("its threads waited "));
  CHECK(contents(csv).find("# waited for processors: ") != std::string::npos);
  auto const stored = ovlp::open_run(record);
  CHECK(stored->processors().cpu_s >= cpu_s);  // until the end
  CHECK(stored->processors().waited_s >= waited_s);

  std::string const page = folder.path() / "page.html";
  outcome const report = run({{OVLP_COMMAND, "report", record, "-o", page}});
  if (report.good()) CHECK(report.err.find("its threads waited ") != std::string::npos);
  CHECK(run({{OVLP_COMMAND, "metrics", record}}).out.find("its threads waited ") != std::string::npos);
  if (run({{"gnuplot", "--version"}}).good()) {
    // It sets no iterations; the windows of time are drawn.
    std::string const rows = "iteration,nodes,efficiency\n1,2,0.5\n";
    std::string const drawn =
        folder.file("drawn.csv", contents(csv).substr(0, contents(csv).find("iteration,")) + rows);
    outcome const plot = run({{OVLP_COMMAND, "plot", "efficiency", drawn, "-o", folder.path() / "e.svg"}});
    CHECK(plot.err.find("its threads waited for processors") != std::string::npos);
  }
}
