// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <thread>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/runtime/internal/cluster_link.hpp>
#include <ovlp/runtime/internal/option_parser.hpp>

#include "listen_address.hpp"

namespace ovlp::real {
namespace {

/// Of processes that mpirun has started on this machine, whether this is the first to say something for all: it has
/// this name as long as it lives.
bool speaks_first() {
  int const held = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  int const length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "ovlp.speaks.%ld",  // no file
                                   static_cast<long>(::getppid()));
  auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
  return held < 0 || ::bind(held, reinterpret_cast<sockaddr*>(&name), size) == 0 || errno != EADDRINUSE;
}

}  // namespace

/// One of many says it for all, the first if it is among them. Until its line is out, no launcher ends them.
void real_options::complain(std::string const& line) const {
  if (started_by_mpi() <= 1) return run_options::complain(line);
  int const rank = rank_by_launcher();
  if (rank > 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  if (speaks_first()) run_options::complain(rank == 0 ? line : line + " (process " + std::to_string(rank) + ")");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

void real_options::add_own(options& to) {
  CLI::App& parser = to.internals().parser;
  auto const real = [](CLI::Option* option) { return option->group("Run (real backend)"); };
  real(add_to(parser, "--poll-us", poll_us,
              "how long an idle execution thread polls before it sleeps (default 50; 0 under a CPU quota or "
              "with more processes than cores)"))
      ->check(number_between(0, 1'000'000));
  real(add_to(parser, "--hosts", hosts,
              "file with the host of each node, one a line; the first is this one. slurm: those of the job"));
  real(add_to(parser, "--launch", launch_template,
              "command that starts a node, with {host}, {node}, {program} and {arguments} (with --hosts FILE: "
              "'ssh {host} {program} {arguments}')"));
  real(add_to(parser, "--listen", listen, "ADDRESS[:FIRST-LAST] on which this run accepts its nodes"));
  real(add_value(parser, "--transport", transport,
                 "auto: TCP, and shared memory for small messages within a machine; tcp: nothing else; mpi: the nodes "
                 "are the processes that mpirun or srun has started"))
      ->check(among({"auto", "tcp", "mpi"}));
  real(add_value(parser, "--launch-timeout", launch_timeout_s, "seconds for a launched node to report"))
      ->check(number_above_zero());
  real(add_value(parser, "--peer-timeout", peer_timeout_s, "seconds of silence after which a node is lost; 0: never"))
      ->check(number("0 or at least 1.5", "0, or >= 1.5", [](double v) { return v == 0 || v >= 1.5; }));
  real(add_to(parser, "--control", control,
              "take orders from outside on this socket: 'ovlp nodes FILE --set 6', 'ovlp status FILE'"));
  add_to(parser, "--worker", worker, "")->group("");
}

std::vector<run_options::foreign_option> real_options::foreign_options() const {
  return {{"--platform"},       {"--without"},    {"--execution"}, {"--durations"}, {"--sample"},
          {"--no-alloc", true}, {"--host-speed"}, {"--shuffle"},   {"--vary"},      {"--interleaving"}};
}

std::size_t real_options::nodes_on_machine_of(node_id node) const {
  if (mpi_ != nullptr) return 1;
  base::machines const on = where();
  if (on.local()) return nodes;
  std::string const machine = on.hosts[node].machine();
  auto const used = std::span(on.hosts).first(std::min(nodes, on.hosts.size()));
  return static_cast<std::size_t>(
      std::ranges::count_if(used, [&](base::host const& h) { return h.machine() == machine; }));
}

base::machines real_options::where() const {
  base::machines now = where_;
  if (!server) return now;
  if (!now.local()) throw config_error("--hosts: expected none: a job of a cluster runs where its server says");
  now.hosts = server->hosts();
  return now;
}

void real_options::check_own() {
  if (!listen.empty()) listen_address::parse(listen);
  if (worker) {
    launched_as_ = ticket::parse(base::read_input_line());
    nodes = launched_as_->nodes;  // the machines of which node 0 has counted
    return;
  }
  if (transport != "mpi") {
    if (int const processes = started_by_mpi(); processes > 1) {
      throw config_error("this is one of " + std::to_string(processes) +
                         " processes that mpirun or srun has started: expected --transport mpi, or to be started once");
    }
    find_hosts();
    return;
  }
  for (auto const& [option, text] :
       {std::pair{"--hosts", &hosts}, {"--launch", &launch_template}, {"--listen", &listen}}) {
    if (!text->empty())
      throw config_error(std::string(option) + ": expected none with --transport mpi, which is started by mpirun");
  }
  mpi_ = &mpi_session::get(application, launch_timeout_s);
  if (!nodes_given) nodes = mpi_->size();
  if (nodes > mpi_->size()) {
    throw config_error("--nodes " + std::to_string(nodes) + ": expected at most " + std::to_string(mpi_->size()) +
                       ", as many processes as mpirun has started");
  }
}

void real_options::find_hosts() {
  where_ = base::read_machines(hosts, launch_template);
  if (where_.local()) return;
  std::size_t const most = where_.hosts.size();
  if (!nodes_given) nodes = most;
  if (nodes <= most) return;
  std::string const asked = "--nodes " + std::to_string(nodes);
  if (where_.slurm_job.empty()) {
    throw config_error("hosts file '" + hosts + "': expected " + std::to_string(nodes) + " hosts for " + asked +
                       ", got " + std::to_string(most));
  }
  throw config_error(asked + ": expected at most " + std::to_string(most) + ", as many machines as job " +
                     where_.slurm_job + " of Slurm has");
}

}  // namespace ovlp::real
