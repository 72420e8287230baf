// SPDX-License-Identifier: BSD-3-Clause
// What sinks are told, in both backends.
#include "support/run_on.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/ovlp.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/records/text_trace.hpp>

#include "support/process.hpp"

namespace {

using ovlp::graph;
using ovlp::here;
using ovlp::in;
using ovlp::out;
using ovlp::threads;
using ovlp::testing::contains;
using ovlp::testing::contents;
using ovlp::testing::really_run_on;
using ovlp::testing::simulate_on;
using ovlp::testing::temporary_folder;
using engine = ovlp::engine_base;

struct Start {};
struct Task {
  int number;
};

/// Two tasks of 1 s and 2 s from node 0 to node 1, one in circulation at a time.
graph<Start, int> two_tasks(threads<> const& master, threads<> const& workers) {
  return ovlp::split("deal", master.at(0),
                     [](Start, out<Task>& tasks) {
                       tasks.post({1});
                       tasks.post({2});
                     })
             .window(1) >>
         ovlp::leaf("work", workers.at(0),
                    [](here<>& at, Task task) {
                      at.iteration(task.number);
                      at.kernel("one", {task.number}, [] {});
                      return task.number;
                    }) >>
         ovlp::merge("sum", master.at(0), [](in<int>& numbers) {
           int sum = 0;
           while (auto n = numbers.wait()) sum += *n;
           return sum;
         });
}

std::vector<std::string> partial(temporary_folder const& folder) {
  return {"--platform", folder.file("p.json", R"({"name": "test", "reference_core": "any",
            "nodes": [{"count": 2, "cores": 1, "speed": 1}],
            "network": {"model": "star", "latency_s": 0.25, "bandwidth_Bps": 16},
            "kernels": {"one": {"coefficient_s": 1, "exponents": [1]}}})"),
          "--execution", "partial"};
}

/// How often each kind of record came; steps and kernels have sane times.
class counting_sink final : public ovlp::record_sink {
 public:
  void begin(ovlp::run_definitions const& of) override {
    CHECK(counts.empty());
    names = of;
  }
  void step(ovlp::step_record const& r) override {
    count("step");
    CHECK(r.start_s <= r.end_s);
    CHECK(r.work_s <= r.computed_s + 1e-9);
  }
  void kernel(ovlp::kernel_record const& r) override {
    count("kernel " + std::string(r.name));
    CHECK(r.start_s <= r.end_s);
  }
  void wait(ovlp::wait_record const& r) override { count(r.cause == ovlp::wait_cause::window ? "window" : "wait"); }
  void post(ovlp::post_record const&) override { count("post"); }
  void send(ovlp::send_record const& r) override {
    count(r.kind == ovlp::message_kind::object ? "send object" : "send control");
  }
  void delivery(ovlp::delivery_record const& r) override {
    count(r.kind == ovlp::message_kind::object ? "deliver object" : "deliver control");
  }
  void call(ovlp::call_record const& r) override { count(r.begins ? "begin" : "end"); }

  std::map<std::string, int> counts;
  ovlp::run_definitions names;

 private:
  void count(std::string const& what) {
    std::scoped_lock const lock(mutex_);
    ++counts[what];
  }
  std::mutex mutex_;
};

}  // namespace

TEST_CASE("a trace tells line by line what happens in a simulation") {
  temporary_folder const folder;
  std::string const file = folder.path() / "trace.txt";
  std::vector<std::string> options = partial(folder);
  options.insert(options.end(), {"--trace", file});
  simulate_on(2, options, [](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    CHECK(run(two_tasks(master, workers), {}) == 3);
  });
  // Latency 0.25 s, 4 bytes at 16 B/s; 1 s and 2 s of work, one after the other.
  CHECK(contents(file) == R"(# ovlp trace of test, simulated, 2 nodes
# graph 'deal >> work >> sum'
0.000000000 node0 launched
0.000000000 node0 joined
0.000000000 node1 launched
0.000000000 node1 joined
0.000000000 node0 mapping master to node0
0.000000000 node0 mapping workers to node1
0.000000000 node0 call 'deal >> work >> sum' number 1 begins
0.000000000 node0 master[0] step split 'deal' from 0.000000000 to 0.000000000 computed 0.000000000 work 0.000000000
0.000000000 node0 master[0] post split 'deal' port 0 to leaf 'work' in workers[0] on node1
0.000000000 node0 send object to node1 bytes 4
0.000000000 node0 master[0] step split 'deal' from 0.000000000 to 0.000000000 computed 0.000000000 work 0.000000000
0.500000000 node0 transfer to node1 bytes 4 sent 0.000000000 from 0.000000000 to 0.500000000
0.500000000 node1 delivery object from node0
1.500000000 node1 workers[0] kernel one(1) from 0.500000000 to 1.500000000 work 1.000000000
1.500000000 node1 workers[0] step leaf 'work' iteration 1 from 0.500000000 to 1.500000000 computed 1.000000000 work 1.000000000
1.500000000 node1 workers[0] post leaf 'work' port 0 to merge 'sum' in master[0] on node0
1.500000000 node1 send object to node0 bytes 4
2.000000000 node1 transfer to node0 bytes 4 sent 1.500000000 from 1.500000000 to 2.000000000
2.000000000 node0 delivery object from node1
2.000000000 node0 master[0] step merge 'sum' from 2.000000000 to 2.000000000 computed 0.000000000 work 0.000000000
2.000000000 node0 master[0] step merge 'sum' iteration 1 from 2.000000000 to 2.000000000 computed 0.000000000 work 0.000000000
2.000000000 node0 master[0] wait split 'deal' for its window from 0.000000000 to 2.000000000
2.000000000 node0 master[0] post split 'deal' port 0 to leaf 'work' in workers[0] on node1
2.000000000 node0 send object to node1 bytes 4
2.000000000 node0 master[0] step split 'deal' from 2.000000000 to 2.000000000 computed 0.000000000 work 0.000000000
2.500000000 node0 transfer to node1 bytes 4 sent 2.000000000 from 2.000000000 to 2.500000000
2.500000000 node1 delivery object from node0
4.500000000 node1 workers[0] kernel one(2) from 2.500000000 to 4.500000000 work 2.000000000
4.500000000 node1 workers[0] step leaf 'work' iteration 2 from 2.500000000 to 4.500000000 computed 2.000000000 work 2.000000000
4.500000000 node1 workers[0] post leaf 'work' port 0 to merge 'sum' in master[0] on node0
4.500000000 node1 send object to node0 bytes 4
5.000000000 node1 transfer to node0 bytes 4 sent 4.500000000 from 4.500000000 to 5.000000000
5.000000000 node0 delivery object from node1
5.000000000 node0 master[0] wait merge 'sum' for an object from 2.000000000 to 5.000000000
5.000000000 node0 master[0] step merge 'sum' iteration 2 from 5.000000000 to 5.000000000 computed 0.000000000 work 0.000000000
5.000000000 node0 master[0] step merge 'sum' iteration 2 from 5.000000000 to 5.000000000 computed 0.000000000 work 0.000000000
5.000000000 node0 call 'deal >> work >> sum' number 1 ends
)");
}

TEST_CASE("sinks of all kinds are told the same, each of all that happens") {
  auto const first = std::make_shared<counting_sink>(), second = std::make_shared<counting_sink>();
  simulate_on(2, {}, [&](engine& run) {
    run.attach(first);
    run.attach(second);
    run.record();
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    run(two_tasks(master, workers), {});
    CHECK(run.summary().atomic_steps == static_cast<std::uint64_t>(first->counts["step"]));
    CHECK_THROWS_AS(run.attach(first), ovlp::config_error);
  });
  simulate_on(2, {}, [&](engine& run) { CHECK_THROWS_AS(run.attach(nullptr), ovlp::config_error); });
  CHECK(first->counts == second->counts);
  CHECK(first->names.collections == std::vector<std::string>{"master", "workers"});
  REQUIRE(first->names.graphs.size() == 1);
  CHECK(first->names.graphs[0].operations[1].name == "work");
  CHECK(first->counts["kernel one"] == 2);
  CHECK(first->counts["post"] == 4);  // two tasks and their results
  CHECK(first->counts["window"] == 1);
  CHECK(first->counts["send object"] == 4);
  CHECK(first->counts["deliver object"] == 4);
  CHECK(first->counts["send control"] == first->counts["deliver control"]);
  CHECK(first->counts["begin"] == 1);
  CHECK(first->counts["end"] == 1);
}

TEST_CASE("the trace of a run that fails, or stalls, holds what happened until then") {
  temporary_folder const folder;
  bool stalls = false;
  SUBCASE("fails") {}
  SUBCASE("stalls") { stalls = true; }
  std::string const file = folder.path() / "trace.txt";
  std::vector<std::string> options = partial(folder);
  options.insert(options.end(), {"--trace", file});
  simulate_on(2, options, [&](engine& run) {
    threads<> const master{"master", "node0"};
    graph<Start, int> const g = ovlp::leaf("harm", master.at(0), [&](here<>& at, Start) -> int {
      at.kernel("one", {3}, [] {});
      at.wait_until([] { return true; });
      if (stalls) at.wait_until([] { return false; });
      throw std::runtime_error("deliberately wrong");
    });
    CHECK_THROWS(run(g, {}));
    CHECK(contains(contents(file), "3.000000000 node0 master[0] step leaf 'harm'"));
  });
}

/// Times of the first and the last line that says what has happened.
std::pair<double, double> first_and_last_s(std::string const& trace) {
  std::istringstream lines(trace);
  double first_s = -1, last_s = -1;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    last_s = std::stod(line);
    if (first_s < 0) first_s = last_s;
  }
  return {first_s, last_s};
}

TEST_CASE("processes on machines with other clocks take node 0's") {
  std::string const other_clock = "unshare --time --monotonic 100000 ";
  if (std::system((other_clock + "true 2>/dev/null").c_str()) != 0) {
    MESSAGE("not tested: this system gives no time namespace");
    return;
  }
  std::filesystem::path const folder = std::filesystem::temp_directory_path();
  std::filesystem::path const file = folder / "ovlp-records-test-clocks", hosts = folder / "ovlp-records-test-hosts";
  std::ofstream(hosts) << "127.0.0.1\n127.0.0.1\n";
  really_run_on(2, {"--trace", file, "--hosts", hosts, "--launch", other_clock + "{program} {arguments}"},
                [&](engine& run) {
                  threads<> const master{"master", "node0"}, workers{"workers", "node1"};
                  CHECK(run(two_tasks(master, workers), {}) == 3);
                });
  auto const [first_s, last_s] = first_and_last_s(contents(file));
  auto const [other_first_s, other_last_s] = first_and_last_s(contents(file.string() + ".node1"));
  // The offset is wrong by at most half a round trip, which may take long on a busy machine.
  CHECK(other_first_s > first_s - 1);
  CHECK(other_last_s < last_s + 1);
  for (std::string const& name : {file.string(), file.string() + ".node1", hosts.string()}) {
    std::filesystem::remove(name);
  }
}

TEST_CASE("each process of a real run traces what happens there") {
  std::filesystem::path const file = std::filesystem::temp_directory_path() / "ovlp-records-test-trace";
  std::filesystem::path const of_node_1 = file.string() + ".node1";
  really_run_on(2, {"--trace", file}, [&](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    CHECK(run(two_tasks(master, workers), {}) == 3);
  });
  std::string const first = contents(file), second = contents(of_node_1);
  CHECK(contains(first, "\n# node0\n"));
  CHECK(contains(first, " node0 master[0] post split 'deal' port 0 to leaf 'work' in workers[0] on node1\n"));
  CHECK(contains(first, " node0 delivery object from node1\n"));
  CHECK(!contains(first, "kernel one"));
  CHECK(contains(second, "\n# node1\n"));
  CHECK(contains(second, " node1 workers[0] kernel one(2) from "));
  CHECK(contains(second, " node1 send object to node0 bytes 4\n"));
  for (std::string const change : {"launched", "joined"}) {
    std::string const line = " node1 " + change + "\n";
    CHECK(contains(first, line));
    CHECK(first.find(line) == first.rfind(line));
  }
  CHECK(first.find(" node1 launched\n") < first.find(" node1 joined\n"));
  std::filesystem::remove(file);
  std::filesystem::remove(of_node_1);
}

TEST_CASE("a node that leaves and comes back goes on with its trace") {
  std::filesystem::path const file = std::filesystem::temp_directory_path() / "ovlp-records-test-again";
  std::filesystem::path const of_node_1 = file.string() + ".node1";
  really_run_on(2, {"--trace", file}, [&](engine& run) {
    threads<> const master{"master", "node0"}, workers{"workers", "node1"};
    graph<Start, int> const g = two_tasks(master, workers);
    CHECK(run(g, {}) == 3);
    run.remap(workers, "node0");
    do {  // it leaves in the background
      CHECK(run(g, {}) == 3);
    } while (!contains(contents(file), " node1 released"));
    run.remap(workers, "node1");
    CHECK(run(g, {}) == 3);
  });
  std::string const all = contents(of_node_1);
  std::string const kernel = " node1 workers[0] kernel one(2) from ";
  std::size_t const again = all.rfind("# node1\n");
  CHECK(again > all.find("# node1\n"));
  CHECK(all.find(kernel) < again);
  CHECK(all.rfind(kernel) > again);
  std::filesystem::remove(file);
  std::filesystem::remove(of_node_1);
}
