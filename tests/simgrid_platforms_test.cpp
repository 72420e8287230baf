// SPDX-License-Identifier: BSD-3-Clause
// Platforms whose network SimGrid simulates, as programs use them: a process each, since each has one machine.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using ovlp::base::outcome;
using ovlp::testing::lines_of;
using ovlp::testing::temporary_folder;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

outcome run(std::vector<std::string> command) { return ovlp::base::run({std::move(command), "", {}, 60s}); }

/// A platform file with this network, and nodes of one core.
std::string platform(temporary_folder const& folder, std::string const& network, std::size_t nodes = 4) {
  std::string const kinds =
      nodes == 0 ? "" : R"("nodes": [{"count": )" + std::to_string(nodes) + R"(, "cores": 1, "speed": 1}], )";
  return folder.file("platform.json",
                     R"({"name": "p", "reference_core": "any", )" + kinds + R"("network": )" + network + "}");
}

/// `ovlp transfers` of these rows.
outcome transfers(temporary_folder const& folder, std::string const& platform_file, std::string const& rows) {
  std::string const list = folder.file("list.csv", "start_s,source,destination,bytes\n" + rows);
  return run({OVLP_COMMAND, "transfers", "--platform", platform_file, list, "-o", "-"});
}

/// Their ends with six digits, each with a blank behind it.
std::string ends(outcome const& done) {
  CHECK(done.err == "");
  std::ostringstream all;
  auto const rows = lines_of(done.out);
  for (std::size_t i = 1; i < rows.size(); ++i) all << std::stod(rows[i].substr(rows[i].rfind(',') + 1)) << ' ';
  return all.str();
}

std::string xml(std::string const& zone) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n" +
         zone + "</zone>\n</platform>\n";
}

std::string const two_hosts =
    "<host id=\"zeta\" speed=\"3Gf\" core=\"2\"/>\n<host id=\"alpha\" speed=\"1Gf\"/>\n"
    "<link id=\"l\" bandwidth=\"100Bps\" latency=\"1s\"/>\n";
std::string const route = "<route src=\"zeta\" dst=\"alpha\"><link_ctn id=\"l\"/></route>\n";

/// The platform beside this file of SimGrid, whose hosts are the nodes.
std::string with_xml(temporary_folder const& folder, std::string const& contents) {
  folder.file("machine.xml", contents);
  return platform(folder, R"({"model": "simgrid", "file": "machine.xml", "reference_flops": 1e9})", 0);
}

void check_refused(outcome const& tried, std::string const& message) {
  CAPTURE(tried.err);
  CHECK(tried.status == 1);
  CHECK(tried.out == "");
  CHECK(lines_of(tried.err).size() == 1);
  CHECK(contains(tried.err, message));
}

std::string topology(std::string const& parameters) {
  return R"({"model": "simgrid", "topology": {)" + parameters + R"(}, "latency_s": 1, "bandwidth_Bps": 100})";
}

}  // namespace

TEST_CASE("hosts of a file of SimGrid are nodes, in the file's order") {
  temporary_folder const folder;
  std::string const file = with_xml(folder, xml(two_hosts + route));
  // One link for both directions: 50 bytes per second each.
  CHECK(ends(transfers(folder, file, "0,0,1,100\n")) == "2 ");
  CHECK(ends(transfers(folder, file, "0,0,1,100\n0,1,0,100\n")) == "3 3 ");
}

TEST_CASE("a file of SimGrid stands for a platform, with its first host as the reference core") {
  temporary_folder const folder;
  std::string const file = folder.file("machine.xml", xml(two_hosts + route));
  CHECK(ends(transfers(folder, file, "0,0,1,100\n0,1,0,100\n")) == "3 3 ");
  outcome const shown = run({OVLP_COMMAND, "platform", "show", file});
  CHECK(contains(shown.out, "first host of machine.xml"));
  std::string const trace =
      folder.file("trace.goal", "num_ranks 2\nrank 0 {\ncalc 3000000000\n}\nrank 1 {\ncalc 3000000000\n}\n");
  outcome const replayed = run({OVLP_COMMAND, "replay", trace, "--platform", file});
  CHECK(contains(replayed.out, "2 ranks on machine: 9.000000 s"));  // the second host is a third as fast
  CHECK(replayed.err == "ovlp replay: the reference core is that of its first host, 'zeta', 3e+09 flop/s\n");
#ifdef HEAT_SIMULATED
  outcome const simulated = run({HEAT_SIMULATED, "--nodes", "2", "--rows", "8", "--columns", "8", "--platform", file});
  CAPTURE(simulated.err);
  CHECK(simulated.status == 0);
  CHECK(contains(simulated.err, "warning: platform 'machine': the reference core is that of its first host, 'zeta'"));
#endif
  check_refused(run({OVLP_COMMAND, "platform", "show", folder.file("broken.xml", "<platform")}), "broken.xml");
}

TEST_CASE("a link or a host of a file of SimGrid that no machine has is refused") {
  temporary_folder const folder;
  auto const refused = [&](std::string const& from, std::string const& to, std::string const& message) {
    std::string contents = xml(two_hosts + route);
    contents.replace(contents.find(from), from.size(), to);
    check_refused(transfers(folder, with_xml(folder, contents), "0,0,1,100\n"), message);
  };
  refused("latency=\"1s\"", "latency=\"1e300s\"", "link 'l': expected a latency of at least 0");
  refused("latency=\"1s\"", "latency=\"-1s\"", "machine.xml");
  refused("bandwidth=\"100Bps\"", "bandwidth=\"1e300Bps\"", "link 'l': expected");
  refused("speed=\"3Gf\"", "speed=\"-1Gf\"", "host 'zeta': expected a speed above 0, up to 1e18 flop/s, got");
  refused("speed=\"3Gf\"", "speed=\"1e200Gf\"", "host 'zeta': expected a speed above 0, up to 1e18 flop/s, got");
}

TEST_CASE("what joins the hosts is found by their routes, and drawn") {
  temporary_folder const folder;
  std::string const drawing = (folder.path() / "p.dot").string();
  /// Connections and places that are no nodes.
  auto const drawn = [&](std::string const& file) {
    outcome const done = run({OVLP_COMMAND, "platform", "show", file, "--topology", drawing});
    CHECK(done.status == 0);
    CHECK(done.err == "");
    std::string const text = ovlp::testing::contents(drawing);
    auto const count = [&](std::string const& part) {
      std::size_t found = 0;
      for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
      return found;
    };
    return std::pair{count("->"), count("shape=point") + count("shape=plaintext")};
  };
  using pair = std::pair<std::size_t, std::size_t>;
  auto const with = [&](std::string const& parameters, std::size_t nodes) {
    return drawn(platform(folder, topology(parameters), nodes));
  };
  CHECK(with(R"("name": "star", "nodes": 8)", 8) == pair{8, 1});
  CHECK(with(R"("name": "fat-tree", "down": [4, 2], "up": [1, 4], "links": [1, 1])", 8) == pair{8 + 2 * 4, 2 + 4});
  CHECK(with(R"("name": "torus", "dimensions": [3, 3])", 9) == pair{18, 0});
  CHECK(drawn(with_xml(folder, xml(two_hosts + route))) == pair{2, 1});  // a link for both directions
}

TEST_CASE("topologies have the routes that their names promise") {
  temporary_folder const folder;
  auto const ends_on = [&](std::string const& parameters, std::string const& rows) {
    return ends(transfers(folder, platform(folder, topology(parameters), 8), rows));
  };
  // A link up and one down.
  CHECK(ends_on(R"("name": "star", "nodes": 8)", "0,0,7,100\n0,1,7,100\n") == "4 4 ");
  // Two switches of four nodes: within one two links, between them four; all share one link up, or have one each.
  std::string const between = "0,0,1,100\n10,0,4,100\n20,0,4,100\n20,1,5,100\n";
  CHECK(ends_on(R"("name": "fat-tree", "down": [4, 2], "up": [1, 1], "links": [1, 1])", between) == "3 15 26 26 ");
  CHECK(ends_on(R"("name": "fat-tree", "down": [4, 2], "up": [1, 4], "links": [1, 1])", between) == "3 15 25 25 ");
  // Along one dimension, the shorter way around.
  CHECK(ends_on(R"("name": "torus", "dimensions": [8])", "0,0,1,100\n10,0,3,100\n20,0,7,100\n") == "2 14 22 ");
  // Two groups of two chassis of a router with two nodes: up, to the other, down.
  std::string const dragonfly =
      R"("name": "dragonfly", "groups": 2, "group_links": 1, "chassis": 2, "chassis_links": 1, "routers": 1, )"
      R"("router_links": 1, "nodes": 2)";
  CHECK(ends_on(dragonfly, "0,0,1,100\n10,0,2,100\n") == "3 14 ");
}

TEST_CASE("the example that compares networks ends on SimGrid's as docs/platforms.md says") {
  temporary_folder const folder;
  auto const ends_on = [&](std::string const& shape, std::string const& latency_s) {
    std::string const network = R"({"model": "simgrid", "topology": {)" + shape + R"(}, "latency_s": )" + latency_s +
                                R"(, "bandwidth_Bps": 100})";
    return ends(transfers(folder, platform(folder, network), "0,0,1,100\n0,0,2,100\n0,3,1,100\n"));
  };
  CHECK(ends_on(R"("name": "star", "nodes": 4)", "0.5") == "3 3 3 ");
  CHECK(ends_on(R"("name": "torus", "dimensions": [4])", "1") == "2 4 4 ");
}

TEST_CASE("SimGrid's own settings can be had") {
  temporary_folder const folder;
  auto const with =
      [&](std::string const& settings) {
        return ends(transfers(folder, platform(folder, R"({"model": "simgrid", "topology": {"name": "star", "nodes": 4},
                             "settings": {)" + settings + R"(}, "latency_s": 1, "bandwidth_Bps": 100})"),
                              "0,0,1,97\n"));
      };
  CHECK(with("") == "2.97 ");
  // Its default: latencies 13.01 times as long, and 97 % of the bandwidth.
  CHECK(with(R"("network/model": "LV08")") == "27.02 ");
}

TEST_CASE("errors in a file of SimGrid are one line that says where") {
  temporary_folder const folder;
  auto const refused = [&](std::string const& contents, std::string const& message) {
    check_refused(transfers(folder, with_xml(folder, contents), "0,0,1,100\n"), message);
  };
  refused("hello", "machine.xml:1: Invalid XML");
  refused(xml("<host id=\"a\" speed=\"1Gx\"/>\n"), "machine.xml:5: unknown unit: Gx");
  refused(xml(two_hosts + "<route src=\"zeta\" dst=\"omega\"><link_ctn id=\"l\"/></route>\n"), "machine.xml:8: Route");
  refused(xml("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"a\" speed=\"1Gf\"/>\n"),
          "machine.xml: Refusing to create a second host named 'a'");
  refused(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\"><zone id=\"z\" routing=\"Fuel\"/></platform>\n",
      "machine.xml: Not a valid model");
  refused(xml(two_hosts), "SimGrid has no transfer from node0 (zeta) to node1 (alpha): ");
  refused(xml("<host id=\"a\" speed=\"1Gf\" state_file=\"s.txt\"/>\n"), "machine.xml:5: expected no profiles");
  std::string const file = platform(folder, R"({"model": "simgrid", "file": "none.xml", "reference_flops": 1})", 0);
  check_refused(transfers(folder, file, "0,0,1,100\n"), "none.xml: cannot be read");
  refused(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4\"/>\n",
      "SimGrid crashed");
  std::string const cluster = with_xml(
      folder, xml("<cluster id=\"c\" prefix=\"a\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" "
                  "topology=\"DRAGONFLY\" topo_parameters=\"2,1;1,1;1,1;2\"/>\n"));
  check_refused(transfers(folder, cluster, "0,0,3,100\n"), "SimGrid crashed");
  refused(xml("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"b\" speed=\"1Gf\"/>\n<link id=\"l\" bandwidth=\"1Bps\" "
              "latency=\"-1s\"/>\n"),
          "link 'l': expected a latency of at least 0");
}

TEST_CASE("errors in a topology are one line that says where") {
  temporary_folder const folder;
  auto const refused = [&](std::string const& network, std::string const& message) {
    check_refused(transfers(folder, platform(folder, network), "0,0,1,100\n"), message);
  };
  refused(topology(R"("name": "ring")"),
          "network.topology.name: expected \"star\", \"fat-tree\", \"dragonfly\" or "
          "\"torus\", got \"ring\"");
  refused(topology(R"("name": "torus", "dimensions": [2.5])"), "network.topology.dimensions: expected whole numbers");
  refused(topology(R"("name": "dragonfly", "groups": 3, "group_links": 1, "chassis": 1, "chassis_links": 1,
                      "routers": 2, "router_links": 1, "nodes": 2)"),
          "network.topology.groups: expected at most 2, as many as a group has routers, got 3");
  refused(topology(R"("name": "fat-tree", "down": [4, 2], "up": [1], "links": [1, 1])"),
          "network.topology.up: expected a number for each level (2 in down)");
  refused(topology(R"("name": "star", "nodes": 3)"), "it has 3 hosts, and the run 4 nodes");
  refused(R"({"model": "simgrid", "topology": {"name": "star", "nodes": 4}, "settings": {"network/model": "XY"},
             "latency_s": 1, "bandwidth_Bps": 100})",
          ".json: network.settings: 'network/model': 'XY': Model 'XY' is invalid");
  refused(R"({"model": "simgrid", "topology": {"name": "star", "nodes": 4}, "settings": {"no/such": "1"},
             "latency_s": 1, "bandwidth_Bps": 100})",
          ".json: network.settings: 'no/such': '1': Bad config key");
  refused(R"({"model": "simgrid", "topology": {"name": "star", "nodes": 4}, "settings": {"network/TCP-gamma": "abc"},
             "latency_s": 1, "bandwidth_Bps": 100})",
          ".json: network.settings: 'network/TCP-gamma': 'abc': invalid double");
}

TEST_CASE("without the module a platform that needs it says what to do") {
  temporary_folder const folder;
  std::string const file = platform(folder, topology(R"("name": "star", "nodes": 4)"));
  folder.file("list.csv", "start_s,source,destination,bytes\n0,0,1,100\n");
  check_refused(run({"/usr/bin/env", "OVLP_MODULE_DIR=/nowhere", OVLP_COMMAND, "transfers", "--platform", file,
                     folder.path() / "list.csv", "-o", "-"}),
                "there is no module for it (/nowhere/ovlp_simgrid.so): install libsimgrid-dev, and build ovlp again");
}

#ifdef LU_SIMULATED
TEST_CASE("applications run on a fat tree, a dragonfly and a file of SimGrid") {
  std::vector<std::string> const lu{LU_SIMULATED, "--n",        "1024",      "--block", "128",
                                    "--graph",    "pipelined",  "--nodes",   "8",       "--execution",
                                    "partial",    "--no-alloc", "--platform"};
  std::vector<std::string> const heat{HEAT_SIMULATED, "--rows", "200",     "--columns", "200",
                                      "--sweeps",     "20",     "--nodes", "8",         "--platform"};
  for (auto const& program : {lu, heat}) {
    for (std::string const name : {"fat-tree-1024", "dragonfly-1024"}) {
      std::vector<std::string> command = program;
      command.push_back(name);
      outcome const done = run(command);
      CAPTURE(name);
      CAPTURE(done.err);
      CHECK(done.status == 0);
    }
  }
}

TEST_CASE("LU takes on SimGrid's star what it takes on a max-min fair star") {
  temporary_folder const folder;
  auto const time_on = [&](std::string const& network) {
    std::string const file = folder.file("p.json", R"({"name": "p", "reference_core": "any", "nodes": [{"count": 8,
        "cores": 1, "speed": 1}], "comm_cpu": {"incoming": [0, 0.5], "outgoing": [0, 0.3]}, "runtime": {"concurrent_per_pair": 0},
        "network": )" + network +
                                                       R"(, "kernels": {"lu.gemm": {"coefficient_s": 3.44e-11,
        "exponents": [1, 1, 1]}, "lu.trsm": {"coefficient_s": 1.8e-11, "exponents": [2, 1]}, "lu.getrf":
        {"coefficient_s": 1.78e-11, "exponents": [1, 2]}, "lu.laswp": {"coefficient_s": 4.6e-9, "exponents": [1, 1]},
        "lu.subtract": {"coefficient_s": 8e-10, "exponents": [1, 1]}, "lu.copy": {"coefficient_s": 1.6e-9,
        "exponents": [1, 1]}, "lu.laswp_left": {"coefficient_s": 4.6e-9, "exponents": [1, 1]}}})");
    outcome const done = run({LU_SIMULATED, "--n", "1536", "--block", "128", "--graph", "basic", "--nodes", "8",
                              "--execution", "partial", "--no-alloc", "--platform", file});
    CAPTURE(done.err);
    CHECK(done.status == 0);
    std::size_t const at = done.out.find("\ntime");
    REQUIRE(at != std::string::npos);
    return std::strtod(done.out.c_str() + at + 5, nullptr);
  };
  double const ours = time_on(R"({"model": "max-min", "latency_s": 3e-5, "bandwidth_Bps": 117e6})");
  double const simgrid = time_on(R"({"model": "simgrid", "topology": {"name": "star", "nodes": 8}, "latency_s": 1.5e-5,
                                     "bandwidth_Bps": 117e6})");
  CHECK(ours > 0.1);
  CHECK(simgrid == doctest::Approx(ours).epsilon(1e-5));
}
#endif
