// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <string>

#include <ovlp/ovlp.hpp>

namespace mine {
std::string read(std::string name) { return name; }
}  // namespace mine

auto build(ovlp::threads<> const& workers) {
#ifdef OVLP_MISTAKE
  using ::read;
  using mine::read;
  return ovlp::leaf("read", workers.in_turn(), read);
#else
  return ovlp::leaf("read", workers.in_turn(), mine::read);
#endif
}
