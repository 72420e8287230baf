// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../reactor.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>

#include "../output.hpp"
#include "node_processes.hpp"

namespace ovlp::real {

/// Processes that node 0 starts. What they print comes out here, line by line, with the node's name before it.
class launcher final : public node_processes {
 public:
  launcher(reactor& reactor, std::shared_ptr<output> out, std::shared_ptr<output> errors)
      : reactor_(reactor), out_{std::move(out), std::move(errors)} {}
  ~launcher() override;

  /// Starts a process and writes `ticket` to its standard input, which stays open: a process whose input ends has lost
  /// node 0.
  void start(node_id node, std::vector<std::string> const& command, std::string const& ticket) override;
  std::optional<std::string> ended(node_id node) override;
  std::string last_error(node_id node) override;
  void kill(node_id node) override;
  void release(node_id node) override;
  std::set<node_id> reap() override;
  void finish(std::chrono::milliseconds patience, std::function<bool(node_id)> const& works,
              std::function<void(node_id)> const& killed) override;
  std::vector<bad_end> bad_ends() const override { return bad_ends_; }

 private:
  struct child;
  void note_end(child const& of);
  std::shared_ptr<child> find(node_id node);
  static void forward(std::shared_ptr<child> const& from, std::size_t which);

  reactor& reactor_;
  std::array<std::shared_ptr<output>, 2> out_;
  std::vector<std::shared_ptr<child>> children_;
  std::vector<bad_end> bad_ends_;
};

}  // namespace ovlp::real
