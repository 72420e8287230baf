// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::tools {

void write_output(std::string const& file, std::string_view contents) {
  bool const standard = file == "-";
  auto const check = [&](bool good) {
    if (good) return;
    throw io_error((standard ? "standard output" : file) + ": cannot be written: " + std::strerror(errno));
  };
  int const to = standard ? STDOUT_FILENO : ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  check(to >= 0);
  while (!contents.empty()) {
    ssize_t const written = ::write(to, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!standard) check(::close(to) == 0);
}

}  // namespace ovlp::tools
