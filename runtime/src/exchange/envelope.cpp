// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/envelope.hpp>

namespace ovlp::OVLP_INLINE_CORE {

std::string group_name(group_id group) {
  group_id const number = group & ((group_id{1} << group_launch_shift) - 1);
  group_id const launch = group >> group_launch_shift & ((group_id{1} << (group_node_shift - group_launch_shift)) - 1);
  return std::to_string(number) + (launch > 0 ? "'" + std::to_string(launch) : "") + "@" +
         node_name(node_of_group(group));
}

template <class Construct>
envelope_ptr envelope::make_with(object_type const& type, Construct construct) {
  void* const block = detail::take_block(object_offset() + type.size);
  auto* const made = ::new (block) envelope(type);
  try {
    construct(made->object());
  } catch (...) {
    made->~envelope();
    detail::give_block(block, object_offset() + type.size);
    throw;
  }
  return envelope_ptr(made);
}

envelope_ptr envelope::make(object_type const& type, void* from) {
  return make_with(type, [&](void* to) { type.move(to, from); });
}

envelope_ptr envelope::read(object_type const& type, reader& from) {
  return make_with(type, [&](void* to) { type.read(from, to); });
}

void envelope::destroy(envelope* e) noexcept {
  object_type const& type = *e->type;
  type.destroy(e->object());
  e->~envelope();
  detail::give_block(e, object_offset() + type.size);
}

}  // namespace ovlp::OVLP_INLINE_CORE
