// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <algorithm>
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

std::vector<int> communicators::groups::members() const {
  if (!between) return own;
  std::vector<int> all = std::min(own, peers);
  std::vector<int> const& others = std::max(own, peers);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::shared_ptr<communicator> communicators::of(MPI_Comm handle) {
  if (auto const found = known_.find(handle); found != known_.end()) return found->second;
  if (auto const made = later_.extract(handle); !made.empty()) return add(handle, made.mapped());
  // Made by a call that is not traced, or MPI_COMM_SELF.
  return add(handle, "found" + text_of(groups_of(handle).members()));
}

std::string communicators::next_key(MPI_Comm from) {
  communicator& parent = *of(from);
  return parent.key + "/" + std::to_string(parent.made_from_it++);
}

void communicators::made(MPI_Comm made, MPI_Comm from) {
  std::string const key = next_key(from);
  if (made != MPI_COMM_NULL) add(made, key);
}

void communicators::made_later(MPI_Comm made, MPI_Comm from) { later_.insert_or_assign(made, next_key(from)); }

void communicators::made_by_members(MPI_Comm made, int tag) {
  if (made == MPI_COMM_NULL) return;
  std::string const key = "members " + std::to_string(tag) + text_of(groups_of(made).members());
  add(made, key + "/" + std::to_string(made_by_members_[key]++));
}

std::shared_ptr<communicator> communicators::beside(MPI_Comm handle) {
  std::shared_ptr<communicator>& its = beside_[handle];
  if (!its) its = write(groups_of(handle), of(handle)->key + " beside");
  return its;
}

void communicators::forget(MPI_Comm handle) {
  known_.erase(handle);
  beside_.erase(handle);
  later_.erase(handle);
}

std::shared_ptr<communicator> communicators::add(MPI_Comm handle, std::string const& key) {
  forget(handle);
  groups const of = groups_of(handle);
  return known_[handle] = write(of, key + ":" + std::to_string(of.members().front()));
}

std::shared_ptr<communicator> communicators::write(groups const& of, std::string const& key) {
  communicator made;
  made.key = key;
  made.peers = of.peers;
  made.between_groups = of.between;
  std::vector<int> const members = of.members();
  // Nothing is written of these: no other file could say the same.
  made.leaves_the_world = std::find(members.begin(), members.end(), MPI_UNDEFINED) != members.end();
  if (!made.leaves_the_world) {
    made.id = next_++;
    file_.put(raw::kind::communicator, raw::communicator{made.id, static_cast<std::uint32_t>(members.size())});
    file_.put_text(made.key);
    file_.put_values(members);
  }
  return std::make_shared<communicator>(std::move(made));
}

communicators::groups communicators::groups_of(MPI_Comm handle) const {
  groups all;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(handle, &group);
  all.own = all.peers = ranks_of(group);
  PMPI_Group_free(&group);
  int between = 0;
  PMPI_Comm_test_inter(handle, &between);
  all.between = between != 0;
  if (!all.between) return all;
  PMPI_Comm_remote_group(handle, &group);
  all.peers = ranks_of(group);
  PMPI_Group_free(&group);
  return all;
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
