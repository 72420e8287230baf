// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <future>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/sockets.hpp>

#include "process.hpp"

namespace ovlp::testing {

/// A real run of failures_app on three nodes that takes orders, and ends an iteration every few milliseconds until it
/// is told to end.
class steered_run {
 public:
  steered_run(std::string const& program, std::string const& socket, std::vector<std::string> const& more = {})
      : socket_(socket) {
    std::vector<std::string> words{program,  "--nodes", "3",         "--mode", "borders",   "--tasks", "6",
                                   "--gate", gate(),    "--control", socket,   "--summary", summary()};
    words.insert(words.end(), more.begin(), more.end());
    result_ = std::async(std::launch::async, [words] { return base::run({words, "", {}, 100s}); });
  }
  ~steered_run() { folder_.file("gate", ""); }

  base::outcome end() {
    folder_.file("gate", "");
    return result_.get();
  }
  std::string summary() const { return folder_.path() / "summary.json"; }

  /// What it answers to an order.
  nlohmann::json tell(std::string const& order) const {
    return nlohmann::json::parse(base::ask_local_socket(socket_, order));
  }
  /// Within half a minute.
  bool answers() const {
    return eventually(30s, [&] {
      try {
        return tell(R"({"do": "status"})").is_object();
      } catch (io_error const&) {  // not yet
        return false;
      }
    });
  }
  bool holds(std::size_t nodes) const {
    return eventually(30s, [&] { return tell(R"({"do": "status"})")["held"] == nodes; });
  }

 private:
  std::string gate() const { return folder_.path() / "gate"; }

  temporary_folder const folder_;
  std::string const socket_;
  std::future<base::outcome> result_;
};

}  // namespace ovlp::testing
