// SPDX-License-Identifier: BSD-3-Clause
#include "raw_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ovlp::mpi::tracer {

// A second process that takes itself for the same rank fails.
raw_file::raw_file(std::string name) : name_(std::move(name)), file_(std::fopen(name_.c_str(), "wbxe")) {
  check(file_ != nullptr);
  std::setvbuf(file_, nullptr, _IOFBF, 1U << 20);
  put_value(raw::magic);
}

void raw_file::put_text(std::string_view text) {
  put_value(static_cast<std::uint32_t>(text.size()));
  put_bytes(text.data(), text.size());
}

void raw_file::put_times(std::uint64_t begin, std::vector<std::uint64_t> const& times) {
  std::vector<unsigned char> bytes;
  bytes.reserve(2 * times.size());
  std::uint64_t before = begin;
  for (std::uint64_t const time : times) {
    auto const step = static_cast<std::int64_t>(time - before);
    auto rest = (static_cast<std::uint64_t>(step) << 1) ^ static_cast<std::uint64_t>(step >> 63);
    for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<unsigned char>(rest | 0x80));
    bytes.push_back(static_cast<unsigned char>(rest));
    before = time;
  }
  put_values(bytes);
}

void raw_file::end(raw::moment const& when) {
  put(raw::kind::end, raw::end{when, entries_});
  check(std::fclose(file_) == 0);
}

void raw_file::put_bytes(void const* bytes, std::size_t count) { check(std::fwrite(bytes, 1, count, file_) == count); }

void raw_file::check(bool good) const {
  if (good) return;
  std::fprintf(stderr, "ovlp: %s: cannot be written: %s\n", name_.c_str(), std::strerror(errno));
  std::abort();
}

}  // namespace ovlp::mpi::tracer
