// SPDX-License-Identifier: BSD-3-Clause
#include "collections/collection_changes.hpp"

#include <algorithm>

namespace ovlp::OVLP_INLINE_CORE {

collection_changes::collection_changes(program const& known, std::size_t nodes, std::function<bool(node_id)> is_asked)
    : known_(known),
      nodes_(nodes),
      is_asked_(std::move(is_asked)),
      versions_(known.collections()),
      held_(known.nodes_at_first(nodes)),
      sent_(nodes) {
  for (std::uint32_t c = 0; c < known.collections(); ++c) views_.push_back(known.first_mapping(c, nodes));
}

bool collection_changes::mapped(node_id node) const {
  return std::any_of(views_.begin(), views_.end(),
                     [&](auto const& view) { return std::find(view.begin(), view.end(), node) != view.end(); });
}

void collection_changes::handle_change_request(change_request const& request) {
  waiting_.push_back(request);
  next();
}

void collection_changes::next() {
  if (phase_ != phase::idle || waiting_.empty()) return;
  now_ = std::move(waiting_.front());
  waiting_.pop_front();
  std::vector<node_id> const& view = views_[now_.collection];
  target_ = now_.nodes;
  if (target_.empty() && known_.collection(now_.collection).leaves_state(view.size(), now_.count)) {
    refuse("resize of '" + known_.collection(now_.collection).name + "' from " + std::to_string(view.size()) + " to " +
           std::to_string(now_.count) + ": its threads have state, and nothing takes what leaves: on_leave is missing");
    return;
  }
  if (target_.empty()) {
    mapping const& first = known_.initial(now_.collection);
    target_ = view;
    target_.resize(now_.count);
    for (std::size_t i = view.size(); i < now_.count; ++i) target_[i] = first.beyond(i, nodes_);
  } else if (target_.size() != view.size()) {
    refuse("remap of '" + known_.collection(now_.collection).name + "': expected a mapping of " +
           std::to_string(view.size()) + " threads, got " + std::to_string(target_.size()));
    return;
  }
  phase_ = phase::launching;
  awaited_nodes_.clear();
  for (node_id node : target_) {
    if (!held_.contains(node)) awaited_nodes_.insert(node);
  }
  if (awaited_nodes_.empty()) {
    move_threads();
  } else {
    for (node_id node : awaited_nodes_) to_do_.emplace_back(launch_node{node});
  }
}

std::string collection_changes::describe_wait() const {
  std::string nodes;
  for (node_id node : awaited_nodes_) nodes += (nodes.empty() ? "" : ", ") + node_name(node);
  std::string threads;
  for (std::uint32_t i : awaited_moves_) threads += (threads.empty() ? "" : ", ") + known_.name({now_.collection, i});
  std::string const change = "the change of collection '" + known_.collection(now_.collection).name + "' waits for ";
  switch (phase_) {
    case phase::idle: return "";
    case phase::launching: return change + nodes + " to be launched";
    case phase::moving: return change + threads + " to move";
    case phase::updating: return change + nodes + " to route by it";
    case phase::draining: return change + "late objects and leaving threads on " + nodes;
  }
  return "";
}

std::string collection_changes::broken_invariant() const {
  auto const is_held = [this](node_id node) { return held_.contains(node); };
  auto const is_leaving = [this](node_id node) { return leaving_.contains(node); };
  if (!is_held(0) || is_leaving(0)) return "node 0 is held, and does not leave";
  for (auto const& view : views_) {
    if (!std::ranges::all_of(view, is_held)) return "a thread lives on a node that is not held";
  }
  for (auto const& [node, number] : leaving_) {
    if (!is_held(node)) return "a node leaves that is not held";
    if (phase_ == phase::idle && mapped(node)) return "a node leaves on which threads live";
  }
  if (!std::ranges::all_of(unneeded_, is_leaving)) return "a node that was not asked has left";
  bool const awaits_nodes = phase_ == phase::launching || phase_ == phase::updating || phase_ == phase::draining;
  if (awaits_nodes == awaited_nodes_.empty())
    return "no node is awaited, and the change waits for nodes; or the reverse";
  if (phase_ == phase::launching ? std::ranges::any_of(awaited_nodes_, is_held)
                                 : !std::ranges::all_of(awaited_nodes_, is_held))
    return "what is awaited is nodes that are not held yet while they are launched, and held ones later";
  if (phase_ == phase::launching
          ? !std::ranges::all_of(joining_, [&](auto const& n) { return awaited_nodes_.contains(n.first); })
          : !joining_.empty())
    return "a node has joined for which nobody waits";
  if ((phase_ == phase::moving) == awaited_moves_.empty()) return "threads are awaited exactly while they move";
  if (phase_ == phase::idle && !waiting_.empty()) return "a change waits, and none is under way";
  return "";
}

void collection_changes::refuse(std::string why) {
  tell(node_of_group(now_.request), change_done{now_.request, std::move(why)});
  next();
}

void collection_changes::node_joined(node_id node) {
  if (phase_ != phase::launching || !awaited_nodes_.contains(node)) return;
  joining_[node] = views_.size();
  for (std::uint32_t c = 0; c < views_.size(); ++c) tell(node, view_update{c, versions_[c], epoch_, views_[c]});
}

/// Before it has all of them no thread moves there: it would send by the first mappings.
void collection_changes::handle_first_view(node_id from) {
  auto const joins = joining_.find(from);
  if (joins == joining_.end() || --joins->second > 0) return;
  joining_.erase(joins);
  held_.insert(from);
  awaited_nodes_.erase(from);
  if (awaited_nodes_.empty()) move_threads();
}

void collection_changes::move_threads() {
  phase_ = phase::moving;
  std::vector<node_id> const view = views_[now_.collection];
  for (std::uint32_t i = 0; i < std::min(view.size(), target_.size()); ++i) {
    if (view[i] != target_[i]) awaited_moves_.insert(i);
  }
  for (std::uint32_t i : awaited_moves_) tell(view[i], move_thread{{now_.collection, i}, target_[i]});
  if (awaited_moves_.empty()) update_views();
}

void collection_changes::handle_thread_moved(thread_moved const& moved) {
  if (phase_ == phase::moving && awaited_moves_.erase(moved.thread.index) > 0 && awaited_moves_.empty()) update_views();
}

void collection_changes::update_views() {
  phase_ = phase::updating;
  views_[now_.collection] = target_;
  awaited_nodes_ = held_;
  for (auto& counts : sent_) counts.assign(nodes_, 0);
  view_update const message{now_.collection, ++versions_[now_.collection], ++epoch_, target_};
  for (node_id node : held_) tell(node, message);
}

void collection_changes::handle_view_adopted(node_id from, view_adopted const& adopted) {
  if (phase_ == phase::launching) return handle_first_view(from);
  bool const this_change = adopted.collection == now_.collection && adopted.version == versions_[now_.collection];
  if (phase_ != phase::updating || !this_change) return;
  sent_[from] = adopted.sent;
  if (awaited_nodes_.erase(from) == 0 || !awaited_nodes_.empty()) return;
  tell(node_of_group(now_.request), change_done{now_.request, {}});
  drain_all();
}

void collection_changes::drain_all() {
  phase_ = phase::draining;
  awaited_nodes_ = held_;
  for (node_id to : held_) {
    drain message{now_.collection, std::vector<std::uint64_t>(nodes_)};
    for (node_id from : held_) {
      if (from != to) message.expected[from] = sent_[from][to];
    }
    tell(to, message);
  }
}

void collection_changes::handle_drained(node_id from, drained const&) {
  if (phase_ != phase::draining || awaited_nodes_.erase(from) == 0 || !awaited_nodes_.empty()) return;
  for (node_id node : held_) {
    if (node == 0 || mapped(node)) {
      leaving_.erase(node);
    } else if (!leaving_.contains(node)) {
      leaving_[node] = ++leaves_;
      tell(node, leave{leaves_});
    }
  }
  phase_ = phase::idle;
  release_unneeded();
  next();
}

// A node leaves in the background: what it still waits for may itself wait for the next change.
void collection_changes::handle_left(node_id from, left const& l) {
  auto const asked = leaving_.find(from);
  if (asked == leaving_.end() || asked->second != l.number) return;  // it has been mapped to again meanwhile
  unneeded_.insert(from);
  release_unneeded();
}

void collection_changes::release_unneeded() {
  if (phase_ != phase::idle) return;
  for (node_id node : std::exchange(unneeded_, {})) {
    if (!leaving_.contains(node)) continue;
    if (is_asked_(node)) {
      unneeded_.insert(node);
      continue;
    }
    leaving_.erase(node);
    held_.erase(node);
    to_do_.emplace_back(release_node{node});
  }
}

}  // namespace ovlp::OVLP_INLINE_CORE
