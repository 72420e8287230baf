// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <utility>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/runtime/internal/option_parser.hpp>

#include "listen_address.hpp"

namespace ovlp::real {

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
                 "tcp, or mpi: the nodes are the processes that mpirun or srun has started"))
      ->check(among({"tcp", "mpi"}));
  real(add_value(parser, "--launch-timeout", launch_timeout_s, "seconds for a launched node to report"))
      ->check(number_above_zero());
  real(add_value(parser, "--peer-timeout", peer_timeout_s, "seconds of silence after which a node is lost; 0: never"))
      ->check(number("0 or at least 1.5", "0, or >= 1.5", [](double v) { return v == 0 || v >= 1.5; }));
  real(add_to(parser, "--control", control,
              "take orders from outside on this socket: 'ovlp nodes FILE --set 6', 'ovlp status FILE'"));
  parser.add_flag("--worker", worker)->group("");
}

std::vector<run_options::foreign_option> real_options::foreign_options() const {
  return {{"--platform"},       {"--without"},    {"--execution"}, {"--durations"}, {"--sample"},
          {"--no-alloc", true}, {"--host-speed"}, {"--shuffle"},   {"--vary"}};
}

std::size_t real_options::nodes_on_machine_of(node_id node) const {
  if (mpi_ != nullptr) return 1;
  if (where_.local()) return nodes;
  auto const first = where_.hosts.begin(), end = first + static_cast<std::ptrdiff_t>(nodes);
  return static_cast<std::size_t>(
      std::count_if(first, end, [&](host const& h) { return h.name == where_.hosts[node].name; }));
}

void real_options::check_own() {
  if (!listen.empty()) listen_address::parse(listen);
  if (worker) return;
  if (transport == "tcp") {
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
  mpi_ = &mpi_session::get();
  if (!nodes_given) nodes = mpi_->size();
  if (nodes > mpi_->size()) {
    throw config_error("--nodes " + std::to_string(nodes) + ": expected at most " + std::to_string(mpi_->size()) +
                       ", as many processes as mpirun has started");
  }
}

void real_options::find_hosts() {
  where_ = read_cluster(hosts, launch_template);
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
