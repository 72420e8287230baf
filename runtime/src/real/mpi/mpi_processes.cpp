// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_processes.hpp"

namespace ovlp::real {

void mpi_processes::finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
                           std::function<void(node_id)> const& killed) {
  using clock = std::chrono::steady_clock;
  auto const lead = reactor_.lead();
  std::vector<clock::time_point> worked(nodes_, clock::now());
  while (network_.any_connected()) {
    bool any = false;
    for (node_id n = 1; n < worked.size(); ++n) {
      if (!network_.connected(n)) continue;
      if (works && works(n)) worked[n] = clock::now();
      bool const in_time = clock::now() - worked[n] <= patience;
      if (!in_time && killed) killed(n);
      any = any || in_time;
    }
    if (!any) break;
    reactor_.work_for(std::chrono::milliseconds(1));
  }
}

}  // namespace ovlp::real
