// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ovlp::real {

/// Memory that two processes of one machine share: a ring of bytes each way, which carries whole records in order.
///
/// One process makes it, the other one maps it and so may be anybody's: what it writes there is checked. In each
/// process one thread at a time writes records and one reads them.
class shared_ring {
 public:
  static constexpr std::size_t capacity = std::size_t{128} * 1024;  ///< bytes, each way
  static constexpr std::size_t largest_record = capacity / 8;       ///< bytes

  /// Where another process finds it.
  struct place {
    std::int32_t process = 0;  ///< 0: there is none
    std::int32_t descriptor = 0;
    std::uint64_t token = 0;
  };

  /// One way. Positions are bytes since the beginning. Each process writes to lines of the cache of its own.
  struct way {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> read;
    alignas(64) std::atomic<std::uint32_t> asleep;  ///< nobody looks whether something comes
    alignas(64) std::array<std::byte, capacity> bytes;
  };
  struct memory {
    std::uint64_t token;
    std::atomic<std::uint32_t> mapped;  ///< by the other process, too
    std::array<way, 2> ways;            ///< the first from who makes it
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

  /// nullptr: the system gives none.
  static std::unique_ptr<shared_ring> make();
  /// That of another process. nullptr: it is not there, or something else is.
  static std::unique_ptr<shared_ring> map(place const& where);

  shared_ring(shared_ring const&) = delete;
  shared_ring& operator=(shared_ring const&) = delete;
  ~shared_ring();

  /// For who is to map it, until hide().
  place where() const;
  /// Nobody can map it any more.
  void hide();
  /// By both processes, so that records written here are read there.
  bool mapped() const { return memory_.mapped.load(std::memory_order_acquire) != 0; }

  /// Whether there is room for a record of these parts, which is then written. Errors: network_error.
  bool write(std::span<std::span<std::byte const> const> parts);
  /// The other process does not look; says so also to who has just written what it has not seen.
  bool reader_sleeps() const { return out_.asleep.load(std::memory_order_seq_cst) != 0; }

  /// The oldest record, until pop(). Errors: network_error.
  std::optional<std::span<std::byte const>> front();
  void pop();
  /// Until awake() nobody looks at front(). Who looks once more after this misses nothing: either it sees what has been
  /// written, or the writer sees that it sleeps.
  void sleep() { in_.asleep.store(1, std::memory_order_seq_cst); }
  void awake() { in_.asleep.store(0, std::memory_order_relaxed); }

 private:
  shared_ring(memory& shared, int descriptor, bool made);
  static std::unique_ptr<shared_ring> map_descriptor(int descriptor, bool made);

  memory& memory_;
  int descriptor_;  ///< -1: hidden
  way& out_;
  way& in_;
  std::uint64_t written_ = 0;  ///< of out_
  std::uint64_t seen_read_ = 0;
  std::uint64_t read_ = 0;  ///< of in_
  std::uint64_t seen_written_ = 0;
  std::vector<std::byte> front_;  ///< a copy: the other process may still write to the ring
  std::size_t front_bytes_ = 0;   ///< 0: none
};

}  // namespace ovlp::real
