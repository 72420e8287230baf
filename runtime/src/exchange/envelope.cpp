// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/envelope.hpp>

#include <memory>
#include <new>

#include <ovlp/base/expects.hpp>

namespace ovlp::OVLP_INLINE_CORE {

std::string group_name(group_id group) {
  group_id const number = group & ((group_id{1} << group_launch_shift) - 1);
  group_id const launch = group >> group_launch_shift & ((group_id{1} << (group_node_shift - group_launch_shift)) - 1);
  return std::to_string(number) + (launch > 0 ? "'" + std::to_string(launch) : "") + "@" +
         node_name(node_of_group(group));
}

template <class Construct>
envelope_ptr envelope::make_with(object_type const& type, ovlp::frames in, frame const* innermost,
                                 Construct construct) {
  std::size_t const depth = in.size() + (innermost == nullptr ? 0 : 1);
  base::expects(depth > 0 && depth <= most_frames, "an object is in a call, and in no more groups than are counted");
  std::size_t const bytes = object_offset(depth) + type.size;
  void* const block = detail::take_block(bytes);
  auto* const made = ::new (block) envelope(type);
  made->depth = static_cast<std::uint16_t>(depth);
  frame* const end = std::uninitialized_copy(in.begin(), in.end(), made->first_frame());
  if (innermost != nullptr) ::new (end) frame(*innermost);
  try {
    construct(made->object());
  } catch (...) {
    made->~envelope();
    detail::give_block(block, bytes);
    throw;
  }
  return envelope_ptr(made);
}

envelope_ptr envelope::make(object_type const& type, void* from, ovlp::frames in) {
  return make_with(type, in, nullptr, [&](void* to) { type.move(to, from); });
}

envelope_ptr envelope::make(object_type const& type, void* from, ovlp::frames around, frame const& innermost) {
  return make_with(type, around, &innermost, [&](void* to) { type.move(to, from); });
}

envelope_ptr envelope::read(object_type const& type, reader& from, ovlp::frames in) {
  return make_with(type, in, nullptr, [&](void* to) { type.read(from, to); });
}

void envelope::destroy(envelope* e) noexcept {
  object_type const& type = *e->type;
  std::size_t const bytes = object_offset(e->depth) + type.size;
  type.destroy(e->object());
  e->~envelope();
  detail::give_block(e, bytes);
}

}  // namespace ovlp::OVLP_INLINE_CORE
