// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "raw_file.hpp"

namespace ovlp::mpi::tracer {

struct communicator {
  std::uint32_t id = 0;
  std::string key;                 ///< of all members the same, and of no other communicator
  std::vector<int> peers;          ///< to whom messages go, by their ranks in it: all members, as ranks of all; of
                                   ///< an intercommunicator those of the other group
  std::uint32_t made_from_it = 0;  ///< communicators
  bool between_groups = false;     ///< an intercommunicator
  int own_rank = 0;

  /// Of all ranks. `rank`: a member, not MPI_PROC_NULL.
  int global(int rank) const { return peers.at(static_cast<std::size_t>(rank)); }
};

/// The communicators of this rank. Members of one find the same key without a message: all of them make it from the
/// same communicator as the same one in turn, and those that one call makes differ in their first members.
class communicators {
 public:
  explicit communicators(raw_file& file);

  /// Lives on while somebody needs it, as messages under way do when it is freed.
  std::shared_ptr<communicator> of(MPI_Comm handle);
  /// By a call of all members of `from`. `made` may be MPI_COMM_NULL here.
  void made(MPI_Comm made, MPI_Comm from);
  /// By a call of its own members only.
  void made_by_members(MPI_Comm made, int tag);
  void forget(MPI_Comm handle) { known_.erase(handle); }

 private:
  std::shared_ptr<communicator> add(MPI_Comm handle, std::string const& key);
  /// MPI_UNDEFINED for a process that was started later.
  std::vector<int> ranks_of(MPI_Group group) const;
  std::vector<int> members_of(MPI_Comm handle) const;

  raw_file& file_;
  MPI_Group world_group_;
  std::map<MPI_Comm, std::shared_ptr<communicator>> known_;
  std::map<std::string, std::uint32_t> made_by_members_;
  std::uint32_t next_ = 0;
};

}  // namespace ovlp::mpi::tracer
