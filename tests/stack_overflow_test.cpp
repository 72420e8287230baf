// SPDX-License-Identifier: BSD-3-Clause
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using ovlp::testing::shell;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an operation that overflows its stack is named, with its thread, its node and the option that helps" *
          doctest::timeout(60)) {
  for (std::string const kind : {"recursion", "frame"}) {
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

TEST_CASE("a stack as large as --stack-kib says holds a large frame" * doctest::timeout(60)) {
  for (std::string const backend : {"real", "simulated"}) {
    auto const end = shell(std::string(OVERFLOW_APP) + " --nodes 2 --kind frame --stack-kib 2048 --backend=" + backend);
    CHECK(end.status == 0);
    CHECK(end.text == "56\n");
  }
}
