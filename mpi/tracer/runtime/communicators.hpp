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
  bool leaves_the_world = false;   ///< has processes that were started later, or otherwise: which have no ranks of all

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
  /// By one that does not block: it can be asked for its members when it is used.
  void made_later(MPI_Comm made, MPI_Comm from);
  /// By a call of its own members only, of an intercommunicator in both of its groups.
  void made_by_members(MPI_Comm made, int tag);
  /// The same members, for messages that are those of collective calls, which are apart from the program's.
  std::shared_ptr<communicator> beside(MPI_Comm handle);
  void forget(MPI_Comm handle);

 private:
  struct groups {
    std::vector<int> own, peers;  // ranks of all; of an intracommunicator the same
    bool between = false;
    /// Both, the one with the lower first rank first: as every member sees them.
    std::vector<int> members() const;
  };

  std::shared_ptr<communicator> add(MPI_Comm handle, std::string const& key);
  std::shared_ptr<communicator> write(groups const& of, std::string const& key);
  groups groups_of(MPI_Comm handle) const;
  std::vector<int> ranks_of(MPI_Group group) const;
  std::string next_key(MPI_Comm from);

  raw_file& file_;
  MPI_Group world_group_;
  std::map<MPI_Comm, std::shared_ptr<communicator>> known_, beside_;
  std::map<MPI_Comm, std::string> later_;  // keys
  std::map<std::string, std::uint32_t> made_by_members_;
  std::uint32_t next_ = 0;
};

}  // namespace ovlp::mpi::tracer
