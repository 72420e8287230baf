// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <ovlp/flowgraph/version.hpp>
#include <ovlp/ovlp.hpp>

int main() { std::printf("linked to ovlp %s\n", ovlp::version().data()); }
