// SPDX-License-Identifier: BSD-3-Clause
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("OVLP_PLATFORM", PLATFORMS "/local.json", 1);  // of runs that name none, also without CTest
  return doctest::Context(argc, argv).run();
}
