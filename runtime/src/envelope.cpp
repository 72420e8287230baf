// SPDX-License-Identifier: BSD-3-Clause
#include "envelope.hpp"

#include <new>

#include "sanitizers.hpp"

#if !defined(OVLP_ADDRESS_SANITIZER) && !defined(OVLP_THREAD_SANITIZER)
#include <oneapi/tbb/scalable_allocator.h>
#endif

namespace ovlp {
namespace {

// One thread makes an envelope and another destroys it: what TBB's allocator is good at. It hides memory from the
// sanitizers, so they get the plain one.
#if defined(OVLP_ADDRESS_SANITIZER) || defined(OVLP_THREAD_SANITIZER)
void* allocate_block(std::size_t bytes) { return ::operator new(bytes); }
void free_block(void* block) noexcept { ::operator delete(block); }
#else
void* allocate_block(std::size_t bytes) {
  void* const block = scalable_malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void free_block(void* block) noexcept { scalable_free(block); }
#endif

}  // namespace

std::string group_name(group_id group) {
  group_id const number = group & ((group_id{1} << group_launch_shift) - 1);
  group_id const launch = group >> group_launch_shift & ((group_id{1} << (group_node_shift - group_launch_shift)) - 1);
  return std::to_string(number) + (launch > 0 ? "'" + std::to_string(launch) : "") + "@" +
         node_name(node_of_group(group));
}

template <class Construct>
envelope_ptr envelope::make_with(object_type const& type, Construct construct) {
  void* const block = allocate_block(object_offset() + type.size);
  auto* const made = ::new (block) envelope(type);
  try {
    construct(made->object());
  } catch (...) {
    made->~envelope();
    free_block(block);
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
  e->type->destroy(e->object());
  e->~envelope();
  free_block(e);
}

}  // namespace ovlp
