// SPDX-License-Identifier: BSD-3-Clause
#include "server/job_processes.hpp"

#include <filesystem>
#include <iterator>
#include <system_error>

#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::cluster {

std::vector<pid_t> processes_with(std::string const& mark) {
  std::string const sought = '\0' + std::string(job_mark_variable) + "=" + mark;
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    pid_t id = 0;
    if (!base::read_number(at->path().filename().string(), id)) continue;
    base::file_reader from(at->path() / "environ");  // of others it cannot be read, and of the dead it is empty
    std::string const all = '\0' + std::string(std::istreambuf_iterator<char>(from), {});
    if (all.find(sought) != std::string::npos) found.push_back(id);
  }
  return found;
}

}  // namespace ovlp::cluster
