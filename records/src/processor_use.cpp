// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <ovlp/base/text.hpp>
#include <ovlp/records/record.hpp>

namespace ovlp {

std::string warning_of(processor_use const& by) {
  constexpr double much = 0.05;
  constexpr double long_s = 0.2;  // the kernel counts what others use in ticks of 10 ms, and a start takes some
  if (by.cpu_s <= 0 || by.waited_s < much * by.cpu_s || by.waited_s < long_s) return "";
  return "its threads waited " + base::fixed(by.waited_s, 2) + " s for processors, for " + base::fixed(by.cpu_s, 2) +
         " s that it used (" + std::to_string(std::lround(100 * by.waited_s / by.cpu_s)) +
         " %): others used them, or there are too few; it took longer than it would alone";
}

}  // namespace ovlp
