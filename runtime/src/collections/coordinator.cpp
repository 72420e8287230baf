// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/coordinator.hpp>

#include <cassert>
#include <cstdint>
#include <utility>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/handlers.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "collections/border_queue.hpp"
#include "collections/collection_changes.hpp"
#include "exchange/outbox.hpp"

namespace ovlp::OVLP_INLINE_CORE {

coordinator::coordinator(thread_manager& node)
    : node_(node),
      changes_(std::make_unique<collection_changes>(node.program(), node.settings().nodes,
                                                    [this](node_id asked) { return borders_->awaits(asked); })),
      borders_(std::make_unique<border_queue>(node, changes_->held())) {}

coordinator::~coordinator() = default;

void coordinator::begin() {
  begun_ = true;
  record_sink* const sink = node_.records();
  if (sink == nullptr) return;
  for (node_id held : changes_->held()) {
    record_node(held, node_change::launched);
    record_node(held, node_change::joined);
  }
  double const now_s = node_.backend().now_s();
  for (std::uint32_t c = 0; c < node_.program().collections(); ++c) {
    sink->mapping({c, node_.program().first_mapping(c, node_.settings().nodes), now_s});
  }
}

void coordinator::receive(node_id from, message what) {
  touch(part::whole_node, node_.self());
  inbox_.put({from, std::move(what)}, [this](event const& next) {
    handle(next);
    do_what_is_decided();
    assert(broken_invariant().empty());
  });
}

void coordinator::handle(event const& what) {
  node_id const from = what.from;
  std::visit(handlers{[&](change_request const& m) { changes_->handle_change_request(m); },
                      [&](thread_moved const& m) { changes_->handle_thread_moved(m); },
                      [&](view_adopted const& m) { changes_->handle_view_adopted(from, m); },
                      [&](drained const& m) { changes_->handle_drained(from, m); },
                      [&](left const& m) {
                        borders_->handle_left(from, m);
                        changes_->handle_left(from, m);
                      },
                      [&](border_request const& m) { borders_->handle_border_request(m); },
                      [&](border_decision const& m) { borders_->handle_decision(m); },
                      [&](border_done const&) { borders_->handle_border_done(); },
                      [&](work_answer const& m) {
                        borders_->handle_work_answer(from, m);
                        changes_->release_unneeded();
                      },
                      [&](joined) {
                        if (begun_) record_node(from, node_change::joined);
                        changes_->node_joined(from);
                      }},
             what.what);
}

void coordinator::do_what_is_decided() {
  changes_now_ = changes_->under_way();  // first: whoever asked for the change may be answered here
  for (collection_changes::action const& action : changes_->take_actions()) {
    std::visit(
        handlers{[&](collection_changes::send_control const& send) { node_.outbox().tell(send.to, send.message); },
                 [&](collection_changes::launch_node const& launch) {
                   record_node(launch.node, node_change::launched);
                   node_.backend().launch(launch.node);
                 },
                 [&](collection_changes::release_node const& release) {
                   record_node(release.node, node_change::released);
                   node_.backend().release(release.node);
                 }},
        action);
  }
  any_leaves_ = changes_->any_leaves();
  decides_ = borders_->deciding();
  if (!changes_now_ && end_is_awaited_) node_.backend().call_ended();
}

bool coordinator::changes() {
  end_is_awaited_ = true;  // before looking
  return changes_now_;
}

void coordinator::record_node(node_id node, node_change change) {
  if (node_.records() != nullptr) node_.records()->node({node, change, node_.backend().now_s()});
}

std::string coordinator::describe_wait() {
  std::string text;
  inbox_.when_idle([&] { text = changes_->describe_wait(); });
  return text;
}

std::string coordinator::broken_invariant() const {
  std::string const of_allocation = changes_->broken_invariant();
  return of_allocation.empty() ? borders_->broken_invariant() : of_allocation;
}

}  // namespace ovlp::OVLP_INLINE_CORE
