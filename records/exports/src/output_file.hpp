// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/streams.hpp>

namespace ovlp::exports {

/// A file that is written piece by piece. Errors: io_error.
class output_file {
 public:
  /// `begins`: how what is written does; base::expect_replaceable(). Errors: config_error.
  output_file(std::string name, std::string_view begins)
      : name_(std::move(name)), out_(base::expect_replaceable(name_, begins), std::ios::binary) {
    check();
  }

  void write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    check();
  }
  /// All that was written is there.
  void close() {
    out_.close();
    check();
  }

 private:
  void check() const {
    if (!out_) throw io_error("'" + name_ + "': cannot be written: " + std::strerror(errno));
  }

  std::string const name_;
  base::file_writer out_;
};

}  // namespace ovlp::exports
