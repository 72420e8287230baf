// SPDX-License-Identifier: BSD-3-Clause
// buffer<T>: what large arrays travel in. Copies share the elements and count who shares them; who writes while others
// share, gets a copy (copy on write). So an object that is posted to many threads is one array on each node, and no
// operation sees what another one writes, in both backends alike.
//
// The size is there from birth and the memory from the first touch, since a simulation needs sizes only: with
// --no-alloc matrices that no machine can hold are simulated in a few megabytes (the paper, section 4).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace ovlp {
namespace detail {

/// If set, called before this OS thread allocates the elements of any buffer, with their size in bytes; what it throws
/// leaves the function that touched the buffer, which stays as it was. The simulator's no-alloc mode sets it to turn a
/// touch outside a kernel into an error. Set and read within one step: it does not follow an operation that suspends.
using allocation_guard_function = void (*)(std::size_t bytes);
inline thread_local constinit allocation_guard_function allocation_guard = nullptr;

/// A piece of memory that handles share: those with the same identity are one.
struct memory_extent {
  void const* identity = nullptr;  ///< nullptr: none
  std::size_t bytes = 0;
};

/// Bytes whose number is fixed at birth, whose memory comes with the first touch, and which copies share: what is left
/// of a buffer<T> without its T.
///
/// Thread: different handles may be used from different threads at once, also for the first touch.
class shared_bytes {
 public:
  static constexpr std::size_t alignment = 64;  ///< bytes: a cache line

  shared_bytes() = default;

  /// `size` bytes, no memory yet. Errors: std::bad_alloc (also for a size that no memory can have).
  shared_bytes(std::size_t size, bool zeroed) {
    if (size > most_bytes) throw std::bad_array_new_length{};
    if (size > 0) block_ = new block{size, zeroed};
  }

  shared_bytes(shared_bytes const& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->handles.fetch_add(1, std::memory_order_relaxed);
  }
  shared_bytes(shared_bytes&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  shared_bytes& operator=(shared_bytes other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~shared_bytes() {
    if (block_ != nullptr) drop(block_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return block_ != nullptr ? block_->size : 0; }

  [[nodiscard]] bool allocated() const noexcept {
    return block_ != nullptr && block_->memory().bytes.load(std::memory_order_relaxed) != nullptr;
  }

  /// `count` of these bytes from `first` on, shared; the caller has checked that they are there.
  [[nodiscard]] shared_bytes slice(std::size_t first, std::size_t count) const {
    shared_bytes part;
    if (count > 0) part.block_ = new block{block_->memory(), block_->first + first, count};
    return part;
  }

  /// Where the bytes are, allocated if this is the first touch; nullptr if there are none.
  [[nodiscard]] std::byte* touch() const {
    if (block_ == nullptr) return nullptr;
    std::byte* const bytes = block_->bytes.load(std::memory_order_acquire);
    return bytes != nullptr ? bytes : block_->find();
  }

  /// As touch(), of bytes that no other handle shares: copies them first if need be.
  [[nodiscard]] std::byte* own() {
    if (block_ != nullptr && block_->shared()) {
      // While another handle shares the block nobody writes to it: without memory it has nothing to copy.
      bool const copies = block_->memory().bytes.load(std::memory_order_acquire) != nullptr;
      shared_bytes mine(block_->size, block_->zeroed && !copies);
      if (copies) std::memcpy(mine.touch(), touch(), block_->size);
      *this = std::move(mine);
    }
    return touch();
  }

  /// Which memory it is, and of how many bytes: of a slice, of the whole.
  [[nodiscard]] memory_extent extent() const noexcept {
    if (block_ == nullptr) return {};
    block const& whole = block_->whole != nullptr ? *block_->whole : *block_;
    return {&whole, whole.size};
  }

  friend bool operator==(shared_bytes const&, shared_bytes const&) = default;  // the same block

 private:
  static constexpr std::size_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max() - alignment;

  struct block;
  static void drop(block* held) noexcept;

  /// What handles share: a piece of memory, or for a slice a part of another block, which it keeps alive. A slice of a
  /// slice is one of the whole.
  struct block {
    block(std::size_t bytes_wanted, bool zero_them) : size(bytes_wanted), zeroed(zero_them) {}
    block(block& of, std::size_t from, std::size_t bytes_wanted)
        : size(bytes_wanted), zeroed(of.zeroed), whole(&of), first(from) {
      of.handles.fetch_add(1, std::memory_order_relaxed);
    }
    ~block() {
      if (whole == nullptr) {
        release(bytes.load(std::memory_order_relaxed));
      } else {
        drop(whole);
      }
    }

    /// Whose memory it is.
    block& memory() { return whole != nullptr ? *whole : *this; }
    /// Also through another slice, or the whole that this is a slice of.
    bool shared() const {
      auto const several = [](block const& b) { return b.handles.load(std::memory_order_acquire) > 1; };
      return several(*this) || (whole != nullptr && several(*whole));
    }

    /// The bytes, which have not been asked for yet.
    [[gnu::cold, gnu::noinline]] std::byte* find() {
      if (whole == nullptr) return allocate();
      std::byte* const all = whole->bytes.load(std::memory_order_acquire);
      std::byte* const part = (all != nullptr ? all : whole->allocate()) + first;
      bytes.store(part, std::memory_order_release);
      return part;
    }

    /// Of two threads that come here at once, the later one takes the memory of the earlier.
    std::byte* allocate() {
      if (allocation_guard != nullptr) allocation_guard(size);
      std::byte* const mine = acquire();
      std::byte* theirs = nullptr;
      if (bytes.compare_exchange_strong(theirs, mine, std::memory_order_acq_rel)) return mine;
      release(mine);
      return theirs;
    }

    /// Aligned memory. Errors: std::bad_alloc.
    [[nodiscard]] std::byte* acquire() const;
    void release(std::byte* aligned) const noexcept;

    std::atomic<std::size_t> handles{1};
    std::atomic<std::byte*> bytes{nullptr};
    std::size_t const size;
    bool const zeroed;
    block* const whole = nullptr;  ///< of a slice: what it is one of
    std::size_t const first = 0;   ///< of a slice: where it begins there
  };

  block* block_ = nullptr;
};

inline void shared_bytes::drop(block* held) noexcept {
  if (held->handles.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held;
}

}  // namespace detail

/// A fixed number of elements that travel well: copies share them, memory comes with the first touch, and the runtime
/// sends them without copying.
///
///     ovlp::buffer<double> x(1000);                             // all zero; no memory yet
///     for (double& e : x.mutate()) e = 1;
///     rows.post({x});                                           // shares the elements
///     x.mutate()[0] = 2;                                        // copies them first, if the object still has them
///     double const sum = std::accumulate(x.begin(), x.end(), 0.0);
///
/// A buffer that is posted is frozen by being shared: `mutate()` of sender or receiver then gives elements of their
/// own.
/// Shape: size() elements, contiguous, aligned to 64 bytes (those of a slice as they stand). The size never changes
///        but by assignment of another buffer. In a data object T is a number, an enumeration, a complex number, a
///        duration or a trivially copyable aggregate of these, and not bool.
/// Thread: as for a value. Different buffers may be used at once even if they share elements; one buffer may be read
///         by several threads at once, also for the first touch.
/// Errors: std::bad_alloc at birth or at the first touch; config_error at the first touch outside a kernel, under the
///         simulator's --no-alloc.
/// Cost: 48 bytes until the first touch. A copy is one atomic increment.
template <class T>
requires(std::is_trivially_copyable_v<T>&& std::is_same_v<T, std::remove_cv_t<T>>) class buffer {
  static_assert(alignof(T) <= detail::shared_bytes::alignment, "elements of a buffer are aligned to 64 bytes at most");

 public:
  using value_type = T;

  /// No elements.
  buffer() = default;

  /// `size` elements, all bytes zero from the first touch on. Large ones cost nothing to make zero: the system gives
  /// zero pages, each when it is touched.
  /// Errors: std::bad_alloc for a size that no memory can have.
  explicit buffer(std::size_t size) : bytes_(bytes_of(size), true) {}

  /// `size` elements to be written before they are read. For what is filled at once: it is not made zero, and may have
  /// memory that was used before, whose pages are there.
  /// Errors: std::bad_alloc for a size that no memory can have.
  [[nodiscard]] static buffer uninitialized(std::size_t size) {
    buffer made;
    made.bytes_ = detail::shared_bytes(bytes_of(size), false);
    return made;
  }

  /// How many elements; no touch.
  [[nodiscard]] std::size_t size() const noexcept { return size_bytes() / sizeof(T); }
  /// Units: bytes. No touch.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }
  /// Whether size() is 0; no touch.
  [[nodiscard]] bool empty() const noexcept { return size_bytes() == 0; }

  /// The elements, to be read; this touches them. nullptr if empty. Valid until this buffer is written to, assigned or
  /// destroyed.
  [[nodiscard]] T const* data() const { return reinterpret_cast<T const*>(bytes_.touch()); }
  /// The same as a span, and as a range: `for (double e : x)`.
  [[nodiscard]] std::span<T const> view() const { return {data(), size()}; }
  [[nodiscard]] T const* begin() const { return data(); }
  [[nodiscard]] T const* end() const { return data() + size(); }

  /// Element `i` of [0, size()), unchecked.
  /// Cost: an atomic load that the compiler can not move out of a loop: take view() before long ones.
  [[nodiscard]] T const& operator[](std::size_t i) const { return data()[i]; }

  /// The elements, to be written; they are copied first if another buffer shares them. The span serves until this
  /// buffer is copied, posted, assigned or destroyed; after that it would write to all.
  /// Cost: of a shared buffer one copy of its elements (none if they have no memory yet), else none.
  [[nodiscard]] std::span<T> mutate() {
    T* const elements = reinterpret_cast<T*>(bytes_.own());
    return {elements, size()};
  }

  /// `count` elements from `first` on, shared with this buffer: no copy, no touch. It keeps all of them alive; what
  /// travels to another node is the slice alone. Its elements are aligned as theirs are, not to 64 bytes.
  /// Errors: std::out_of_range unless first + count <= size().
  [[nodiscard]] buffer slice(std::size_t first, std::size_t count) const {
    if (first > size() || count > size() - first) {
      throw std::out_of_range("slice of a buffer: expected at most " + std::to_string(size()) +
                              " elements, got those from " + std::to_string(first) + " to " +
                              std::to_string(first + count));
    }
    buffer part;
    part.bytes_ = bytes_.slice(first * sizeof(T), count * sizeof(T));
    return part;
  }

  /// Do both share the same elements (or have both none)? A slice is the same only as copies of itself.
  [[nodiscard]] bool same_storage(buffer const& other) const noexcept { return bytes_ == other.bytes_; }

  /// What its elements are in, or will be; no touch.
  [[nodiscard]] detail::memory_extent extent() const noexcept { return bytes_.extent(); }

  /// Has the first touch been? Of a slice: of the buffer that it is one of.
  [[nodiscard]] bool allocated() const noexcept { return bytes_.allocated(); }

 private:
  static std::size_t bytes_of(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length{};
    return size * sizeof(T);
  }

  detail::shared_bytes bytes_;
};

}  // namespace ovlp
