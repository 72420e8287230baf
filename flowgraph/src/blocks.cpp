// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/memory.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include <ovlp/flowgraph/sanitizers.hpp>

namespace ovlp::detail {

#if defined(OVLP_ADDRESS_SANITIZER) || defined(OVLP_THREAD_SANITIZER)
void* take_block(std::size_t bytes) { return take_memory(bytes, alignof(std::max_align_t)); }
void give_block(void* taken, std::size_t) noexcept { give_memory(taken, alignof(std::max_align_t)); }
#else
namespace {

constexpr std::size_t step_bytes = 32;  // sizes are multiples of it
constexpr std::size_t sizes = 24;
constexpr std::size_t batch_bytes = 8192;  // what goes from thread to thread at once

constexpr std::size_t block_bytes(std::size_t size) { return (size + 1) * step_bytes; }
constexpr std::size_t size_of(std::size_t bytes) { return (bytes - 1) / step_bytes; }
/// Blocks of a batch, by size: a table, for a division would be a third of the cost of giving a block back.
constexpr auto batches = [] {
  std::array<std::size_t, sizes> all{};
  for (std::size_t size = 0; size < sizes; ++size) all[size] = batch_bytes / block_bytes(size);
  return all;
}();
constexpr std::size_t batch(std::size_t size) { return batches[size]; }

/// A block that nobody uses.
struct link {
  link* next;
  link* next_batch;  ///< of the first of a batch
};

/// Batches of one size that no thread keeps.
class shared_batches {
 public:
  link* take() {
    std::lock_guard const lock(mutex_);
    return first_ == nullptr ? nullptr : std::exchange(first_, first_->next_batch);
  }
  void give(link* given) {
    std::lock_guard const lock(mutex_);
    given->next_batch = first_;
    first_ = given;
  }

 private:
  std::mutex mutex_;
  link* first_ = nullptr;
};
constinit std::array<shared_batches, sizes> shared{};

/// What an OS thread keeps: of each size a batch that it takes from and gives to, and one more that is full or empty.
struct kept_blocks {
  struct of_size {
    link* first = nullptr;
    std::size_t count = 0;
    link* full = nullptr;  ///< the second batch
  };
  std::array<of_size, sizes> all{};
};
constinit thread_local kept_blocks kept;

/// Gives everything back when its thread ends.
struct at_thread_exit {
  bool armed = false;
  ~at_thread_exit() {
    for (std::size_t size = 0; size < sizes; ++size) {
      kept_blocks::of_size& own = kept.all[size];
      if (own.first != nullptr) shared[size].give(std::exchange(own.first, nullptr));
      if (own.full != nullptr) shared[size].give(std::exchange(own.full, nullptr));
      own.count = 0;
    }
  }
};
thread_local at_thread_exit exit_of_thread;

/// Where new batches come from; they never go back. At first little at a time: not everything that takes blocks is
/// large, and the allocator of take_memory takes milliseconds and a megabyte before its first block.
class fresh_memory {
 public:
  std::byte* take_batch() {
    std::lock_guard const lock(mutex_);
    if (left_bytes_ == 0) {
      at_ = static_cast<std::byte*>(next_bytes_ < huge_page_bytes ? ::operator new(next_bytes_)
                                                                  : map_huge_pages(next_bytes_));
      left_bytes_ = next_bytes_;
      next_bytes_ = std::min(2 * next_bytes_, huge_page_bytes);
    }
    left_bytes_ -= batch_bytes;
    return std::exchange(at_, at_ + batch_bytes);
  }

 private:
  std::mutex mutex_;
  std::byte* at_ = nullptr;
  std::size_t left_bytes_ = 0;
  std::size_t next_bytes_ = 8 * batch_bytes;
};
constinit fresh_memory fresh;

link* make_batch(std::size_t size) {
  std::byte* at = fresh.take_batch();
  link* first = nullptr;
  for (std::size_t i = 0; i < batch(size); ++i, at += block_bytes(size)) first = ::new (at) link{first, nullptr};
  return first;
}

/// The thread has no block of this size.
void refill(kept_blocks::of_size& own, std::size_t size) {
  exit_of_thread.armed = true;
  own.first = std::exchange(own.full, nullptr);
  if (own.first == nullptr) own.first = shared[size].take();
  if (own.first == nullptr) own.first = make_batch(size);
  own.count = batch(size);
}

/// The thread keeps a whole batch of this size.
void make_room(kept_blocks::of_size& own, std::size_t size) {
  exit_of_thread.armed = true;
  if (own.full != nullptr) shared[size].give(own.full);
  own.full = std::exchange(own.first, nullptr);
  own.count = 0;
}

}  // namespace

// Not inlined: an operation may go on in another OS thread after a switch.
[[gnu::noinline]] void* take_block(std::size_t bytes) {
  std::size_t const size = size_of(bytes);
  if (size >= sizes) return take_memory(bytes, alignof(std::max_align_t));
  kept_blocks::of_size& own = kept.all[size];
  if (own.first == nullptr) refill(own, size);
  --own.count;
  return std::exchange(own.first, own.first->next);
}

[[gnu::noinline]] void give_block(void* taken, std::size_t bytes) noexcept {
  std::size_t const size = size_of(bytes);
  if (size >= sizes) return give_memory(taken, alignof(std::max_align_t));
  kept_blocks::of_size& own = kept.all[size];
  if (own.count == batch(size)) make_room(own, size);
  ++own.count;
  own.first = ::new (taken) link{own.first, nullptr};
}
#endif

}  // namespace ovlp::detail
