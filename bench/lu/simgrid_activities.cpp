// SPDX-License-Identifier: BSD-3-Clause
// The task flow of a simulated LU factorization in SimGrid S4U as a graph of activities, without actors.
//
//   lu_simulated ... --platform lan.json --flow lu.flow
//   lu_simgrid_activities --platform lan.json --flow lu.flow
//
// An activity is made when all that it waits for has ended. SimGrid has dependencies of its own (add_successor), but
// keeps all activities that the main program makes in one list, through which it goes when one ends: with blocks of a
// 32nd of the matrix on 2 nodes that takes 22 s instead of 0.1 s.
#include <algorithm>
#include <map>
#include <utility>

#include "simgrid.hpp"

namespace {

using bench::action;
using bench::flow;
using bench::flow_item;
namespace sg = bench::sg;

/// Activities of a place follow one another, and so do transfers between two nodes. So of each of these chains an
/// activity need only wait for the latest that it depends on.
using chain = std::uint64_t;
using latest = std::vector<std::pair<chain, std::size_t>>;  ///< activities by chain; few

void include(latest& in, chain of, std::size_t activity) {
  const auto same = std::find_if(in.begin(), in.end(), [&](const auto& known) { return known.first == of; });
  if (same == in.end()) {
    in.emplace_back(of, activity);
  } else {
    same->second = std::max(same->second, activity);
  }
}
void include(latest& in, const latest& others) {
  for (const auto& [of, activity] : others) include(in, of, activity);
}

class activity_graph {
 public:
  activity_graph(const bench::simgrid_star& machine, const flow& what)
      : machine_(machine), flow_(what), now_(what.about.places), arrives_(what.about.messages) {
    for (const flow_item& item : what.items) add(item);
    arrives_ = {};
    order_successors();
    sg::Activity::on_completion_cb([this](const sg::Activity& ended) { completed(*ended.get_data<node>()); });
    std::vector<node*> first;
    for (node& n : nodes_)
      if (n.missing == 0) first.push_back(&n);
    for (node* n : first) start(*n);
  }
  bench::replayed done() const { return done_; }

 private:
  /// An execution, a transfer, or a join of what others wait for together.
  struct node {
    const flow_item* item;  ///< of a join nullptr
    std::size_t missing = 0;
    std::size_t successors = 0;  ///< from here to the next one's in successors_
    sg::ActivityPtr running{};
  };

  static constexpr chain credits = chain{1} << 63;  ///< from one node to another: further chains

  void add(const flow_item& item) {
    latest& before = now_[item.place];
    switch (item.what) {
      case action::compute: before = {{item.place, keep(&item, before)}}; break;
      case action::send: {
        join_many(item.place);
        const chain pair = flow_.about.places + (chain{flow_.node_of(item.place)} << 32 | flow_.node_of(item.peer));
        latest after = before;
        if (const auto last = last_.find(pair); last != last_.end()) include(after, pair, last->second);
        last_[pair] = keep(&item, after);
        arrives_[item.message] = {{pair, last_[pair]}};
        break;
      }
      case action::credit:  // all take the same time, so they come in order, too
        join_many(item.place);
        arrives_[item.message] = {
            {credits + (chain{flow_.node_of(item.place)} << 32 | flow_.node_of(item.peer)), keep(&item, before)}};
        break;
      case action::signal:
        join_many(item.place);
        arrives_[item.message] = before;
        break;
      case action::receive:
      case action::receive_credit:
      case action::await: include(before, std::exchange(arrives_[item.message], {})); break;
    }
  }
  /// Keeps few what later ones wait for.
  void join_many(std::uint32_t place) {
    if (now_[place].size() > 4) now_[place] = {{place, keep(nullptr, now_[place])}};
  }
  std::size_t keep(const flow_item* item, const latest& after) {
    for (const auto& [of, before] : after) edges_.emplace_back(before, nodes_.size());
    nodes_.push_back({item, after.size()});
    return nodes_.size() - 1;
  }
  void order_successors() {
    std::sort(edges_.begin(), edges_.end());
    for (const auto& [before, after] : edges_) successors_.push_back(after);
    for (std::size_t i = 0, edge = 0; i < nodes_.size(); ++i) {
      while (edge < edges_.size() && edges_[edge].first < i) ++edge;
      nodes_[i].successors = edge;
    }
    nodes_.push_back({nullptr, 1, successors_.size()});  // ends the list of the last one
    edges_ = {};
  }

  void start(node& n) {
    if (n.item == nullptr) return release(n);
    const flow_item& item = *n.item;
    sg::Host* const host = machine_.host(flow_.node_of(item.place));
    if (item.what == action::compute) {
      n.running = sg::Exec::init()->set_flops_amount(item.amount * bench::simgrid_star::speed)->set_host(host);
    } else {
      n.running = sg::Comm::sendto_init(host, machine_.host(flow_.node_of(item.peer)))
                      ->set_payload_size(static_cast<std::uint64_t>(item.amount));
    }
    n.running->set_data(&n);
    n.running->vetoable_start();
  }
  /// SimGrid still needs the activity that has ended, but not when the next one ends.
  void completed(node& n) {
    if (n.item->what == action::compute) ++done_.tasks;
    if (n.item->what == action::send) ++done_.transfers;
    ended_ = std::move(n.running);
    release(n);
  }
  void release(node& n) {
    for (std::size_t s = n.successors; s < (&n + 1)->successors; ++s) {
      node& next = nodes_[successors_[s]];
      if (--next.missing == 0) start(next);
    }
  }

  const bench::simgrid_star& machine_;
  const flow& flow_;
  std::vector<node> nodes_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
  std::vector<std::size_t> successors_;
  std::vector<latest> now_;      ///< by place: what its next one waits for
  std::vector<latest> arrives_;  ///< by message: what who takes it waits for
  std::map<chain, std::size_t> last_;
  sg::ActivityPtr ended_;
  bench::replayed done_;
};

}  // namespace

int main(int argc, char** argv) { return bench::compete<activity_graph>(argc, argv, "simgrid-activities", 2e-3, {}); }
