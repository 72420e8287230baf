// SPDX-License-Identifier: BSD-3-Clause
// A phase of the program begins: what has been counted so far goes to a file.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <ovlp/instrument/entry.hpp>

#include "observed.hpp"

namespace ovlp::shared_memory {
namespace {

/// Errors: false.
bool write_all(int to, void const* from, std::size_t bytes) {
  auto const* at = static_cast<char const*>(from);
  while (bytes > 0) {
    ssize_t const written = ::write(to, at, bytes);
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool write_phase(int to, char const* name, counters const& so_far) {
  phase_header const header{seconds_since_start(), static_cast<std::uint32_t>(std::strlen(name)),
                            so_far.threads.load(std::memory_order_relaxed)};
  bool good = write_all(to, &header, sizeof header) && write_all(to, name, header.name_bytes) &&
              write_all(to, so_far.of_thread.data(), header.threads * sizeof(thread_counters));
  for (std::size_t k = 0; k < kinds_of(so_far.how); ++k) {
    for (std::size_t t = 0; t < header.threads; ++t)
      good = good && write_all(to, so_far.tables[k][t].data(), (header.threads + 1) * sizeof(std::uint64_t));
  }
  return good;
}

}  // namespace
}  // namespace ovlp::shared_memory

OVLP_ENTRY void ovlp_threads_begin_phase(char const* name) {
  using namespace ovlp::shared_memory;  // NOLINT(google-build-using-namespace)
  counters* const so_far = counted();
  if (so_far == nullptr) return;
  if (name == nullptr) name = "";
  char file[4096];
  std::snprintf(file, sizeof file, "%s.phase-%u", file_of_counters(), so_far->phases.load());
  int const to =
      ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  bool const good = to >= 0 && write_phase(to, name, *so_far);
  if (to >= 0) ::close(to);
  if (good) ++so_far->phases;
  if (!good) std::fprintf(stderr, "ovlp threads: the counters at the start of phase '%s' cannot be written\n", name);
}
