// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/synchronization.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class execution;

/// What steps and arrivals at a node have in common, so that their order may matter. docs/explore.md says of what each
/// consists.
enum class part : std::uint8_t {
  whole_node,  ///< with all its views: changed where collections change, used by everything
  mailbox,     ///< of a DPS thread, that is added to; `of`: its name
  mail,        ///< the how-manieth in a mailbox: added, taken, or missed; `of`: a name of both
  groups,      ///< that a thread has opened; `of`: its name
  calls,       ///< made at the node
  program,     ///< memory that the program says its threads share; `of`: a hash of its name
  admission,   ///< of a pool that has fewer execution threads than DPS threads; `of`: its number
};

constexpr std::uint64_t name_of(thread_address thread) {
  return (std::uint64_t{thread.collection} << 32) | thread.index;
}

#ifdef OVLP_ONE_THREAD

struct touched_part {
  part what;
  node_id node;
  std::uint64_t of;
  bool changed;
};
/// What an explored run is told of what happens inside the core.
class explored_world {
 public:
  std::vector<touched_part> touched_parts;  ///< of what happens now
  /// The operation that runs now has made a call, or the main program.
  virtual void call_made(group_id call) = 0;
  /// An operation posts or returns an object.
  virtual void object_made(execution const& by, envelope& object) = 0;

 protected:
  ~explored_world() = default;
};
/// As long as such a run lasts; nullptr: there is none.
inline constinit explored_world* explored = nullptr;

/// What happens now uses or changes it.
inline void touch(part what, node_id node, std::uint64_t of = 0, bool changed = true) {
  if (explored != nullptr) [[unlikely]]
    explored->touched_parts.push_back({what, node, of, changed});
}
inline bool is_explored() { return explored != nullptr; }
inline void tell_call(group_id call) {
  if (explored != nullptr) [[unlikely]]
    explored->call_made(call);
}
inline void tell_object(execution const& by, envelope& object) {
  if (explored != nullptr) [[unlikely]]
    explored->object_made(by, object);
}

#else

inline void touch(part, node_id, std::uint64_t = 0, bool = true) {}
inline constexpr bool is_explored() { return false; }
inline void tell_call(group_id) {}
inline void tell_object(execution const&, envelope&) {}

#endif

}  // namespace ovlp::OVLP_INLINE_CORE
