// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include "experiments.hpp"

namespace ovlp::lab::calibrate {
namespace {

/// What the kernel lets a connection's send buffer grow to.
double largest_buffer_bytes() {
  double least = 0, usual = 0, most = 4 << 20;
  std::ifstream("/proc/sys/net/ipv4/tcp_wmem") >> least >> usual >> most;
  return most;
}

}  // namespace

/// The section `transport`: TCP, as the runtime uses it. Nothing is measured: `buffer_bytes` is what the testbed's
/// description says, elsewhere the last value of tcp_wmem.
/// Source: docs/model.md, "Messages"; tcp(7).
experiment const of_transport{
    .describe =
        [](findings const& of, nlohmann::ordered_json& platform) {
          platform["transport"] = {{"model", "stream"}, {"buffer_bytes", largest_buffer_bytes()}};
          if (of.testbed.contains("buffer_bytes")) platform["transport"]["buffer_bytes"] = of.testbed["buffer_bytes"];
        },
};

}  // namespace ovlp::lab::calibrate
