// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/support/files.hpp>
#include <ovlp/support/streams.hpp>

namespace ovlp::exports {

/// A file that is written piece by piece. Errors: io_error.
class output_file {
 public:
  /// `begins`: how what is written does; support::expect_replaceable(). Errors: config_error.
  output_file(std::string name, std::string_view begins)
      : name_(std::move(name)), out_(support::expect_replaceable(name_, begins), std::ios::binary) {
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
  support::file_writer out_;
};

}  // namespace ovlp::exports
