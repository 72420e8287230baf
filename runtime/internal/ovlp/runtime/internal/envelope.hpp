// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/flowgraph/memory.hpp>
#include <ovlp/flowgraph/object_type.hpp>
#include <ovlp/records/record.hpp>
#include <ovlp/runtime/internal/mailbox.hpp>
#include <ovlp/runtime/internal/memory_watch.hpp>

namespace ovlp::OVLP_INLINE_CORE {

/// Numbers a group, or a call of a graph, uniquely in a run: its node in the upper 22 bits.
using group_id = std::uint64_t;
constexpr unsigned group_node_shift = 42;
static_assert(mapping::most_nodes <= std::size_t{1} << (64 - group_node_shift));
/// Below that the launch of the node, modulo 256: groups of a node's last process may still be known to others.
constexpr unsigned group_launch_shift = 34;
/// Where the order of deliveries is noted or given, a number ends with so many bits of the name of what opens the
/// group, or makes the call: other nodes cannot know it.
constexpr unsigned opener_bits = 10;
constexpr std::uint64_t opener_of_group(group_id group) { return group & ((std::uint64_t{1} << opener_bits) - 1); }
constexpr node_id node_of_group(group_id group) { return static_cast<node_id>(group >> group_node_shift); }
/// "3@node1": the third group of node 1.
std::string group_name(group_id group);

/// No iteration has been set.
constexpr std::int32_t no_iteration = 0;

/// The place of an object in one of the groups that it is in. The lowest frame of all objects stands for the call.
struct frame {
  group_id group = 0;
  std::uint32_t place = 0;                ///< in the group, from 0
  std::uint32_t port = 0;                 ///< that opened it, numbered through the graph
  std::uint32_t opener = 0;               ///< index of the thread that opened it
  std::int32_t iteration = no_iteration;  ///< of the object that its opener received
};
/// Those of an object or of an operation, which owns them: of its call, then of each group, the innermost last.
using frames = std::span<frame const>;

/// The frame of a call: the lowest of each object in it. It also carries the call of the main program within which
/// it was made, for the records.
inline frame call_frame(group_id call, group_id origin, std::uint32_t caller, std::int32_t iteration) {
  return {call, static_cast<std::uint32_t>(origin), static_cast<std::uint32_t>(origin >> 32), caller, iteration};
}
inline group_id origin_of(frame const& call) { return (group_id{call.port} << 32) | call.place; }
inline group_id origin_of(frames f) { return origin_of(f.front()); }

/// The operation field of an envelope that carries the result of a call to the one who called.
constexpr std::uint32_t result_operation = 0xffffffff;
/// The operation field of an envelope that carries the state of a thread that moves; `graph` is its collection then.
constexpr std::uint32_t state_operation = 0xfffffffe;

/// When an object was given to the outbox, from which on a simulated network could have had it. A real one needs no
/// telling.
#ifdef OVLP_ONE_THREAD
class hand_over {
 public:
  template <class Clock>
  void note(Clock& clock) {
    at_s_ = clock.now_s();
  }
  double at_s() const { return at_s_; }

 private:
  double at_s_ = 0;
};
#else
class hand_over {
 public:
  template <class Clock>
  void note(Clock&) {}
};
#endif

class handled_total;

/// A data object on its way: where to, and in which groups. The frames follow the envelope in the same block, and the
/// object follows these.
struct envelope final : mail {
  std::uint32_t graph = 0;
  std::uint32_t operation = 0;
  std::uint32_t thread = 0;  ///< index in the operation's collection
  std::int32_t iteration = no_iteration;
  object_type const* type;
  /// Of the innermost group, where that is a side group of the node on which the object is, and nothing is between.
  handled_total* side = nullptr;
  [[no_unique_address]] memory_claim claim;
  [[no_unique_address]] hand_over handed_over;

  ovlp::frames frames() const { return {first_frame(), depth}; }
  frame const& innermost() const { return first_frame()[depth - 1]; }
  void* object();
  object_key key() const { return {innermost().group, innermost().place, operation}; }
  held_in_memory in_memory() { return {*type, object(), graph, operation, thread}; }

  struct deleter {
    void operator()(envelope* e) const noexcept { envelope::destroy(e); }
  };

  /// An envelope with an object moved from `from`, in these groups.
  static std::unique_ptr<envelope, deleter> make(object_type const& type, void* from, ovlp::frames in);
  /// And in one more, within them.
  static std::unique_ptr<envelope, deleter> make(object_type const& type, void* from, ovlp::frames around,
                                                 frame const& innermost);
  /// An envelope with an object that is read from the wire. Errors: decode_error.
  static std::unique_ptr<envelope, deleter> read(object_type const& type, reader& from, ovlp::frames in);

  static constexpr std::size_t most_frames = 0xffff;

 private:
  static constexpr std::size_t object_offset(std::size_t depth);
  explicit envelope(object_type const& t) : mail(kind_type::object), type(&t) {}
  ~envelope() = default;
  frame* first_frame() { return reinterpret_cast<frame*>(this + 1); }
  frame const* first_frame() const { return reinterpret_cast<frame const*>(this + 1); }
  template <class Construct>
  static std::unique_ptr<envelope, deleter> make_with(object_type const& type, ovlp::frames in, frame const* innermost,
                                                      Construct construct);
  static void destroy(envelope* e) noexcept;
};
using envelope_ptr = std::unique_ptr<envelope, envelope::deleter>;

constexpr std::size_t envelope::object_offset(std::size_t depth) {
  return (sizeof(envelope) + depth * sizeof(frame) + 15) / 16 * 16;
}
inline void* envelope::object() { return reinterpret_cast<std::byte*>(this) + object_offset(depth); }

}  // namespace ovlp::OVLP_INLINE_CORE
