// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/mapping.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using ovlp::mapping;
using nodes = std::vector<ovlp::node_id>;

nodes resolved(mapping const& where, std::size_t in_run = 100) { return where.resolve(in_run, "workers"); }

std::string fault(std::string const& text) {
  try {
    static_cast<void>(mapping(text));
    return "";
  } catch (ovlp::config_error const& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a mapping names the node of each thread in order") {
  CHECK(resolved("node0") == nodes{0});
  CHECK(resolved("node2 node0 node2") == nodes{2, 0, 2});
  CHECK(resolved("  node1   node0 ") == nodes{1, 0});
}

TEST_CASE("a star places several threads in a row on a node") { CHECK(resolved("node0*2 node1") == nodes{0, 0, 1}); }

TEST_CASE("brackets name ranges and lists of nodes") {
  CHECK(resolved("node[0-3]") == nodes{0, 1, 2, 3});
  CHECK(resolved("node[0-2,8]*2 node5") == nodes{0, 0, 1, 1, 2, 2, 8, 8, 5});
  CHECK(resolved("node[7]") == nodes{7});
  CHECK(resolved("node[0-99]").size() == 100);
}

TEST_CASE("a number of threads is dealt out in turn") {
  CHECK(resolved(mapping::in_turn(5), 2) == nodes{0, 1, 0, 1, 0});
  CHECK(resolved(mapping::in_turn(5, 2, 3)) == nodes{3, 4, 3, 4, 3});
}

TEST_CASE("a mapping tells where threads beyond it go: repeated, or dealt out further") {
  CHECK(ovlp::mapping("node0*2 node3").beyond(4, 8) == 0);
  CHECK(ovlp::mapping("node0*2 node3").beyond(5, 8) == 3);
  CHECK(ovlp::mapping::in_turn(2).beyond(2, 8) == 2);
  CHECK(ovlp::mapping::in_turn(2).beyond(9, 8) == 1);
  CHECK(ovlp::mapping::in_turn(4, 2, 1).beyond(5, 8) == 2);
}

TEST_CASE("a wrong mapping is a config_error that shows the place and what was expected there") {
  CHECK(fault("") == "mapping \"\": expected at least one node, as in \"node0*2 node[1-3]\" at character 1");
  CHECK(fault("host0") == "mapping \"host0\": expected 'node' at character 1");
  CHECK(fault("node0,node1") == "mapping \"node0,node1\": expected a blank between nodes at character 6");
  CHECK(fault("node") == "mapping \"node\": expected a number of at most 4194303 at character 5");
  CHECK(fault("node-1") == "mapping \"node-1\": expected a number of at most 4194303 at character 5");
  CHECK(fault("node4194304") == "mapping \"node4194304\": expected a number of at most 4194303 at character 5");
  CHECK(fault("node99999999999999999999999") ==
        "mapping \"node99999999999999999999999\": expected a number of at most 4194303 at character 5");
  CHECK(fault("node[1") == "mapping \"node[1\": expected ']' at character 7");
  CHECK(fault("node[1-") == "mapping \"node[1-\": expected a number of at most 4194303 at character 8");
  CHECK(fault("node[3-1]") == "mapping \"node[3-1]\": expected a range that goes up at character 9");
  CHECK(fault("node0*0") == "mapping \"node0*0\": expected at least one thread at character 8");
  CHECK(fault("node0*x") == "mapping \"node0*x\": expected a number of at most 16777216 at character 7");
  CHECK(fault("node[0-65535]*257") != "");  // more than 2^24 threads
  CHECK(fault("node0*16777216 node0") != "");
}

TEST_CASE("a mapping to a node that is not in the run is a config_error that names the collection") {
  CHECK_THROWS_WITH_AS(resolved("node0 node3", 3), "collection 'workers': mapped to node3, but the run has 3 nodes",
                       ovlp::config_error);
  CHECK_THROWS_WITH_AS(resolved("node1", 1), "collection 'workers': mapped to node1, but the run has 1 node",
                       ovlp::config_error);
  CHECK_THROWS_WITH_AS(resolved(mapping::in_turn(mapping::most_threads + 1)),
                       "collection 'workers': expected at most 16777216 threads, got 16777217", ovlp::config_error);
  CHECK_THROWS_WITH_AS(resolved(mapping::in_turn(0)), "collection 'workers': expected at least one thread",
                       ovlp::config_error);
}
