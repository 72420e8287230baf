// SPDX-License-Identifier: BSD-3-Clause
#include "launches.hpp"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/streams.hpp>

#include "../descriptors.hpp"
#include "ticket.hpp"

namespace ovlp::real {
namespace {

constexpr std::size_t descriptors_of_process = 3;  // its input, output and errors

std::string own_program() {
  std::error_code error;
  auto const path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw io_error("cannot find this program's file: " + error.message());
  return path.string();
}

}  // namespace

launches::launches(transport& network, membership& members, run_state const& run, real_options const& options,
                   std::string secret, double start_s, std::unique_ptr<node_processes> processes,
                   std::shared_ptr<output> errors)
    : network_(network),
      members_(members),
      run_(run),
      options_(options),
      secret_(std::move(secret)),
      start_s_(start_s),
      processes_(std::move(processes)) {
  base::machines const where = options_.where();
  if (!where.slurm_job.empty()) {
    slurm_.emplace(where.slurm_job, where.hosts,
                   [to = std::move(errors)](std::string const& line) { to->print("ovlp: " + line); });
  }
}

void launches::launch(std::set<node_id> const& nodes, bool joins_later) {
  need_descriptors(nodes.size() * descriptors_of_process + network_.descriptors(nodes.size()), 0);
  network_.accept();
  last_launch_ = std::chrono::steady_clock::now();
  for (node_id node : nodes) {
    if (slurm_) slurm_->use(node);
    if (network_.connected(node)) {
      waiting_.insert(node);
    } else {
      start(node, joins_later);
    }
  }
}

void launches::start(node_id node, bool joins_later) {
  peer_address const driver = network_.accept();
  ticket given;
  given.node = node;
  given.nodes = options_.nodes;
  given.driver_host = driver.host;
  given.driver_port = driver.port;
  given.secret = secret_;
  base::machines const where = options_.where();
  given.on_machine = options_.nodes_on_machine_of(node);
  given.host = where.local() ? "127.0.0.1" : where.hosts[node].address;
  given.listen = where.any_address(node);
  given.clock = base::monotonic_clock_name();
  given.start_s = start_s_;
  given.joins_later = joins_later;
  given.of_job = options_.server != nullptr;
  given.launch = count_[node]++;
  std::string const program = own_program();
  std::vector<std::string> command = options_.arguments;
  command.emplace_back("--worker");
  if (where.launch_template.empty()) {
    command.insert(command.begin(), program);
  } else {
    std::string const host = where.local() ? given.host : where.hosts[node].name;
    command = base::launch_command(where.launch_template, host, node, program, command);
  }
  members_.expect(node);
  processes_->start(node, command, given.json());
}

std::set<node_id> launches::tick(bool more_leave) {
  std::chrono::duration<double> const waited = std::chrono::steady_clock::now() - last_launch_;
  for (node_id node : members_.joining()) {
    if (run_.failed()) break;
    if (auto const end = processes_->ended(node)) {
      if (ended_.insert(node).second) continue;  // by the next time all that it printed has come
      std::string const last = processes_->last_error(node);
      run_.fail(network_failure(node_name(node) + " did not join the run: its process " + *end +
                                (last.empty() ? "" : ", saying: " + last)));
    } else if (waited.count() > options_.launch_timeout_s) {
      base::text_writer why;
      why << node_name(node) << " did not join the run within the " << options_.launch_timeout_s
          << " s of --launch-timeout";
      run_.fail(network_failure(why.str()));
    }
  }
  std::set<node_id> gone = processes_->reap();
  if (slurm_) slurm_->tick(gone, more_leave);
  return gone;
}

void launches::release(node_id node) {
  processes_->release(node);
  if (slurm_) slurm_->release(node);
}

/// A process that has just died can often be waited for only a moment later.
std::optional<std::string> launches::ended_soon(node_id node) {
  std::optional<std::string> end = processes_->ended(node);
  for (int i = 0; i < 50 && !end; ++i) {
    ::usleep(1000);
    end = processes_->ended(node);
  }
  return end;
}

}  // namespace ovlp::real
