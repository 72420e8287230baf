// SPDX-License-Identifier: BSD-3-Clause
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <ovlp/flowgraph/sanitizers.hpp>

namespace {

using ovlp::testing::shell;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an operation that overflows its stack is named, with its thread, its node and the option that helps") {
  for (std::string const kind : {"recursion", "frame", "huge"}) {
    for (std::string const backend : {"real", "simulated"}) {
      std::string const command = std::string(OVERFLOW_APP) + " --nodes 2 --kind " + kind + " --backend=" + backend;
      CAPTURE(command);
      auto const end = shell(command);
      CAPTURE(end.text);
      CHECK(end.status != 0);
      CHECK(contains(end.text,
                     "ovlp: stack overflow in leaf 'greedy' in workers[1] on node1: its 256 KiB are too few; "
                     "--stack-kib gives more\n"));
    }
  }
}

TEST_CASE("what the runtime calls for an operation may overflow its stack, too") {
  for (auto const& called : {std::pair{"condition", "leaf 'greedy' in workers[1] on node"},
                             {"state", "the state's maker in workers[2] on node"}}) {
    std::string const kind = called.first, where = called.second;
    for (std::string const backend : {"real", "simulated"}) {
      auto const end = shell(std::string(OVERFLOW_APP) + " --nodes 2 --kind " + kind + " --backend=" + backend);
      CAPTURE(kind);
      CAPTURE(end.text);
      CHECK(end.status != 0);
      CHECK(contains(end.text, "ovlp: stack overflow in " + where));
      CHECK(contains(end.text, ": its 256 KiB are too few; --stack-kib gives more\n"));
    }
  }
}

#if !defined(OVLP_ADDRESS_SANITIZER) && !defined(OVLP_THREAD_SANITIZER)  // they reserve more than any limit
TEST_CASE("a run for which there is not enough memory says so, and ends") {
  for (std::string const limit_kib : {"22000", "26000", "30000", "34000", "42000"}) {
    auto const end = shell("ulimit -v " + limit_kib + " && exec timeout 20 " + OVERFLOW_APP +
                           " --nodes 2 --kind frame --backend=real");
    CAPTURE(limit_kib);
    CAPTURE(end.text);
    CHECK(end.status != 0);
    CHECK(end.status != 124);  // of timeout
    CHECK(!end.text.empty());
  }
}
#endif

TEST_CASE("a stack as large as --stack-kib says holds a large frame") {
  for (std::string const backend : {"real", "simulated"}) {
    auto const end = shell(std::string(OVERFLOW_APP) + " --nodes 2 --kind frame --stack-kib 2048 --backend=" + backend);
    CHECK(end.status == 0);
    CHECK(end.text == "56\n");
  }
}
