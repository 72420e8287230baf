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

void need_descriptors(std::size_t more, node_id self) {
  constexpr std::size_t spare = 8;
  std::error_code error;
  std::filesystem::directory_iterator const files("/proc/self/fd", error);
  std::size_t const needed = static_cast<std::size_t>(std::distance(begin(files), end(files))) + more + spare;
  rlimit limit{};
  if (error || ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || needed <= limit.rlim_cur) return;
  if (needed > limit.rlim_max) {
    throw network_error(node_name(self) + " needs " + std::to_string(needed) + " file descriptors, but the limit is " +
                        std::to_string(limit.rlim_max) + ": raise it (ulimit -n), or take fewer nodes");
  }
  limit.rlim_cur = needed;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw network_error(node_name(self) + " cannot have " + std::to_string(needed) +
                        " file descriptors: " + std::strerror(errno));
}

}  // namespace ovlp::real
