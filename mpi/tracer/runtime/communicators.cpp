// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <numeric>

namespace ovlp::mpi::tracer {
namespace {

std::string text_of(std::vector<int> const& ranks) {
  std::string text;
  for (int const rank : ranks) text += " " + std::to_string(rank);
  return text;
}

}  // namespace

communicators::communicators(raw_file& file) : file_(file), world_group_(MPI_GROUP_NULL) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  add(MPI_COMM_WORLD, "world");
}

std::shared_ptr<communicator> communicators::of(MPI_Comm handle) {
  if (auto const found = known_.find(handle); found != known_.end()) return found->second;
  return add(handle, "found" + text_of(members_of(handle)));  // made by a call that is not traced, or MPI_COMM_SELF
}

void communicators::made(MPI_Comm made, MPI_Comm from) {
  communicator& parent = *of(from);
  std::string const key = parent.key + "/" + std::to_string(parent.made_from_it++);
  if (made != MPI_COMM_NULL) add(made, key);
}

void communicators::made_by_members(MPI_Comm made, int tag) {
  if (made == MPI_COMM_NULL) return;
  std::string const key = "members " + std::to_string(tag) + text_of(members_of(made));
  add(made, key + "/" + std::to_string(made_by_members_[key]++));
}

std::shared_ptr<communicator> communicators::add(MPI_Comm handle, std::string const& key) {
  communicator made;
  std::vector<int> members = made.peers = members_of(handle);
  int between_groups = 0;
  PMPI_Comm_test_inter(handle, &between_groups);
  if (between_groups != 0) {
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_remote_group(handle, &group);
    made.peers = ranks_of(group);
    PMPI_Group_free(&group);
    made.between_groups = true;
    members.insert(members.front() < made.peers.front() ? members.end() : members.begin(), made.peers.begin(),
                   made.peers.end());
  }
  PMPI_Comm_rank(handle, &made.own_rank);
  made.id = next_++;
  made.key = key + ":" + std::to_string(members.front());
  file_.put(raw::kind::communicator, raw::communicator{made.id, static_cast<std::uint32_t>(members.size())});
  file_.put_text(made.key);
  file_.put_values(members);
  return known_[handle] = std::make_shared<communicator>(std::move(made));
}

std::vector<int> communicators::members_of(MPI_Comm handle) const {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(handle, &group);
  std::vector<int> ranks = ranks_of(group);
  PMPI_Group_free(&group);
  return ranks;
}

std::vector<int> communicators::ranks_of(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> places(static_cast<std::size_t>(size)), ranks(places.size());
  std::iota(places.begin(), places.end(), 0);
  PMPI_Group_translate_ranks(group, size, places.data(), world_group_, ranks.data());
  return ranks;
}

}  // namespace ovlp::mpi::tracer
