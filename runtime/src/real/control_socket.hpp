// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace ovlp::real {

/// A local socket on which others ask something of a run: a line to it, a line back, and the connection is closed. Only
/// processes of the same user are answered, whatever the rights of the file. A thread of its own serves one after
/// another, so an asker that says nothing keeps others waiting for a second at most.
class control_socket {
 public:
  static constexpr std::size_t longest_line_bytes = 4096;

  /// `answer`: gets a line, without its end, and gives one. Called from a thread of its own; does not throw.
  /// Errors: config_error if the file cannot be made, or another run listens there.
  control_socket(std::string path, std::function<std::string(std::string const&)> answer);
  control_socket(control_socket const&) = delete;
  control_socket& operator=(control_socket const&) = delete;
  /// Removes the file.
  ~control_socket();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp::real
