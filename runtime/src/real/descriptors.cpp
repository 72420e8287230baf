// SPDX-License-Identifier: BSD-3-Clause
#include "descriptors.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>

#include <ovlp/base/error.hpp>

namespace ovlp::real {
namespace {

struct demand {
  std::size_t needed = 0;  ///< with those that are open; 0: nobody can tell
  rlimit limit{};

  bool fits() const { return needed <= limit.rlim_cur; }
  bool may_fit() const { return needed <= limit.rlim_max; }
  /// Raises the soft limit. Returns whether that can be done.
  bool raise() {
    limit.rlim_cur = needed;
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
  }
};

demand demand_of(std::size_t more) {
  constexpr std::size_t spare = 8;
  std::error_code error;
  std::filesystem::directory_iterator const files("/proc/self/fd", error);
  demand made;
  if (error || ::getrlimit(RLIMIT_NOFILE, &made.limit) != 0) return {};
  made.needed = static_cast<std::size_t>(std::distance(begin(files), end(files))) + more + spare;
  return made;
}

}  // namespace

bool can_open(std::size_t more) {
  demand made = demand_of(more);
  return made.fits() || (made.may_fit() && made.raise());
}

void need_descriptors(std::size_t more, node_id self) {
  demand made = demand_of(more);
  if (made.fits()) return;
  if (!made.may_fit()) {
    throw network_error(node_name(self) + " needs " + std::to_string(made.needed) +
                        " file descriptors, but the limit is " + std::to_string(made.limit.rlim_max) +
                        ": raise it (ulimit -n), or take fewer nodes");
  }
  if (!made.raise())
    throw network_error(node_name(self) + " cannot have " + std::to_string(made.needed) +
                        " file descriptors: " + std::strerror(errno));
}

}  // namespace ovlp::real
