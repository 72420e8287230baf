// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <ovlp/base/machines.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

#include "launch/ticket.hpp"
#include "mpi/mpi_session.hpp"

namespace ovlp::real {

/// What the command line says about a real run.
class real_options final : public run_options {
 public:
  std::optional<std::size_t> poll_us;  ///< unset: as the machine suggests
  std::string hosts;                   ///< "slurm" or a file
  std::string launch_template;
  std::string listen;
  double launch_timeout_s = 30;
  double peer_timeout_s = 4;
  bool worker = false;  ///< launched by node 0; the rest comes on standard input, a ticket
  std::string transport = "auto";
  std::string control;  ///< socket for orders from outside; empty: none are taken

  /// As run_options::read. Errors: config_error, also if MPI cannot be used.
  real_options(int argc, char const* const* argv, options& program_options) { read(argc, argv, program_options); }

  /// Of a process that node 0 has launched.
  std::optional<ticket> const& launched_as() const { return launched_as_; }
  /// On node 0, as it is now: a job's cluster says with each answer where its nodes live.
  base::machines where() const;
  /// On node 0: how many nodes of the run, this one included, share its machine. Each process of MPI counts as alone.
  std::size_t nodes_on_machine_of(node_id node) const;
  /// nullptr: messages go by TCP, and within a machine, unless --transport tcp says otherwise, by shared memory.
  mpi_session* mpi() const { return mpi_; }

  char const* backend() const override { return "real"; }
  bool takes_orders() const override { return run_options::takes_orders() || !control.empty(); }

 private:
  void add_own(options& to) override;
  std::vector<foreign_option> foreign_options() const override;
  void check_own() override;
  void find_hosts();
  void complain(std::string const& line) const override;
  bool launched() const override { return worker || (mpi_ != nullptr && mpi_->rank() > 0); }

  std::optional<ticket> launched_as_;
  base::machines where_;
  mpi_session* mpi_ = nullptr;
};

}  // namespace ovlp::real
