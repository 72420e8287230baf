// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/outbox.hpp"

#include <utility>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

namespace ovlp::OVLP_INLINE_CORE {

void outbox::send(node_id to, envelope_ptr object) {
  node_.hold(*object);
  object->side = nullptr;
  object->handed_over.note(node_.backend());
  ++under_way_;
  envelope_ptr now;
  {
    scoped_lock const lock(mutex_);
    now = queues_[to].add(std::move(object), node_.settings().concurrent_per_pair);
  }
  hand_over(to, std::move(now));
  if (all_sent()) node_.reallocation().look_after_transfer();
}

void outbox::hand_over(node_id to, envelope_ptr object) {
  bool crossed = true;
  for (; object && crossed; object = crossed ? transfer_ended(to) : nullptr) {
    if (record_sink* const sink = node_.records()) {
      sink->send({origin_of(object->frames()), message_kind::object, node_.self(), to,
                  object->type->byte_count(object->object()), node_.backend().now_s(), object->key()});
    }
    crossed = node_.backend().transmit(node_.self(), to, std::move(object));
  }
}

envelope_ptr outbox::transfer_ended(node_id to) {
  --under_way_;
  scoped_lock const lock(mutex_);
  return queues_[to].next();
}

std::string outbox::broken_invariant() {
  std::size_t objects = 0;
  scoped_lock const lock(mutex_);
  queues_.for_each([&](node_id, send_queue const& queue) { objects += queue.size(); });
  if (objects == under_way_) return "";
  return "outbox: " + std::to_string(objects) + " objects wait or are in transfer, and it has counted " +
         std::to_string(under_way_.load());
}

void outbox::tell(node_id to, control const& message, group_id call) {
  if (to == node_.self()) {
    node_.receive(to, message);
    return;
  }
  if (record_sink* const sink = node_.records()) {
    sink->send({call, message_kind::control, node_.self(), to, 0, node_.backend().now_s(), {}});
  }
  node_.backend().transmit(node_.self(), to, message);
}

}  // namespace ovlp::OVLP_INLINE_CORE
