// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ovlp/mpi/raw_format.hpp>

namespace ovlp::mpi::tracer {

/// The file that a rank writes. Errors: a line on standard error, and the process ends, since what would follow is no
/// trace.
class raw_file {
 public:
  explicit raw_file(std::string name);
  raw_file(raw_file const&) = delete;
  raw_file& operator=(raw_file const&) = delete;
  ~raw_file() = default;  // without an end the file is one that was cut short

  template <class Entry>
  void put(raw::kind kind, Entry const& entry) {
    ++entries_;
    put_value(kind);
    put_value(entry);
  }
  void put_text(std::string_view text);
  template <class Value>
  void put_values(std::vector<Value> const& values) {
    put_bytes(values.data(), values.size() * sizeof(Value));
  }
  /// The times of raw::accesses.
  void put_times(std::uint64_t begin, std::vector<std::uint64_t> const& times);

  void end(raw::moment const& when);

 private:
  template <class Value>
  void put_value(Value const& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put_bytes(&value, sizeof value);
  }
  void put_bytes(void const* bytes, std::size_t count);
  void check(bool good) const;

  std::string const name_;
  std::FILE* file_;
  std::uint64_t entries_ = 0;
};

}  // namespace ovlp::mpi::tracer
