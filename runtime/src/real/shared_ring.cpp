// SPDX-License-Identifier: BSD-3-Clause
#include "shared_ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <ovlp/base/error.hpp>

namespace ovlp::real {
namespace {

constexpr char name[] = "ovlp-ring";
/// Its size does not change: whoever has looked at it once can touch all of it.
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
/// Before each record; records begin at multiples of its size.
using length = std::uint64_t;

constexpr std::size_t room_for(std::size_t bytes) {
  return sizeof(length) + (bytes + sizeof(length) - 1) / sizeof(length) * sizeof(length);
}

void require(bool good) {
  if (!good) throw network_error("a ring in shared memory with positions that cannot be");
}

void copy_in(shared_ring::way& to, std::uint64_t position, std::span<std::byte const> from) {
  std::size_t const at = position % shared_ring::capacity;
  std::size_t const before_end = std::min(from.size(), shared_ring::capacity - at);
  std::memcpy(to.bytes.data() + at, from.data(), before_end);
  if (before_end < from.size()) std::memcpy(to.bytes.data(), from.data() + before_end, from.size() - before_end);
}

void copy_out(shared_ring::way const& from, std::uint64_t position, std::span<std::byte> to) {
  std::size_t const at = position % shared_ring::capacity;
  std::size_t const before_end = std::min(to.size(), shared_ring::capacity - at);
  std::memcpy(to.data(), from.bytes.data() + at, before_end);
  if (before_end < to.size()) std::memcpy(to.data() + before_end, from.bytes.data(), to.size() - before_end);
}

}  // namespace

// Both processes

std::unique_ptr<shared_ring> shared_ring::make() {
  rlimit longest{};  // beyond it a signal would end the process
  if (::getrlimit(RLIMIT_FSIZE, &longest) != 0 || longest.rlim_cur < sizeof(memory)) return nullptr;
  std::uint64_t token = 0;
  if (::getrandom(&token, sizeof token, 0) != static_cast<ssize_t>(sizeof token)) return nullptr;
  int const file = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return nullptr;
  if (::ftruncate(file, sizeof(memory)) != 0 || ::fcntl(file, F_ADD_SEALS, seals) != 0) {
    ::close(file);
    return nullptr;
  }
  auto made = map_descriptor(file, true);
  if (made) made->memory_.token = token;
  return made;
}

std::unique_ptr<shared_ring> shared_ring::map(place const& where) {
  if (where.process <= 0) return nullptr;
  auto const path = "/proc/" + std::to_string(where.process) + "/fd/" + std::to_string(where.descriptor);
  std::error_code error;
  auto const target = std::filesystem::read_symlink(path, error);  // what opens may be a terminal, or a device
  if (error || !target.native().starts_with(std::string("/memfd:") + name)) return nullptr;
  int const file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat about {};
  if (::fstat(file, &about) != 0 || about.st_size != sizeof(memory) || (::fcntl(file, F_GET_SEALS) & seals) != seals) {
    ::close(file);
    return nullptr;
  }
  auto mapped = map_descriptor(file, false);
  if (!mapped) return nullptr;
  mapped->hide();
  if (mapped->memory_.token != where.token) return nullptr;
  mapped->memory_.mapped.store(1, std::memory_order_release);
  return mapped;
}

std::unique_ptr<shared_ring> shared_ring::map_descriptor(int descriptor, bool made) {
  void* const address = ::mmap(nullptr, sizeof(memory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) {
    ::close(descriptor);
    return nullptr;
  }
  // Its bytes are zero at first, which is what each member begins with.
  auto& shared = *static_cast<memory*>(address);
  return std::unique_ptr<shared_ring>(new shared_ring(shared, descriptor, made));
}

shared_ring::shared_ring(memory& shared, int descriptor, bool made)
    : memory_(shared),
      descriptor_(descriptor),
      out_(shared.ways[made ? 0 : 1]),
      in_(shared.ways[made ? 1 : 0]),
      front_(largest_record) {}

shared_ring::~shared_ring() {
  hide();
  ::munmap(&memory_, sizeof(memory));
}

shared_ring::place shared_ring::where() const { return {::getpid(), descriptor_, memory_.token}; }

void shared_ring::hide() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

// The writer

bool shared_ring::write(std::span<std::span<std::byte const> const> parts) {
  length bytes = 0;
  for (auto const part : parts) bytes += part.size();
  if (bytes == 0 || bytes > largest_record) return false;
  std::size_t const needed = room_for(bytes);
  if (written_ - seen_read_ + needed > capacity) {
    seen_read_ = out_.read.load(std::memory_order_acquire);
    require(seen_read_ <= written_ && written_ - seen_read_ <= capacity);
    if (written_ - seen_read_ + needed > capacity) return false;
  }
  copy_in(out_, written_, std::as_bytes(std::span(&bytes, 1)));
  std::uint64_t at = written_ + sizeof bytes;
  for (auto const part : parts) {
    copy_in(out_, at, part);
    at += part.size();
  }
  written_ += needed;
  out_.written.store(written_, std::memory_order_seq_cst);  // before the look whether the reader sleeps
  return true;
}

// The reader

std::optional<std::span<std::byte const>> shared_ring::front() {
  if (front_bytes_ == 0) {
    if (seen_written_ == read_) seen_written_ = in_.written.load(std::memory_order_seq_cst);  // after sleep()
    if (seen_written_ == read_) return std::nullopt;
    std::uint64_t const there = seen_written_ - read_;
    require(there >= sizeof(length) && there <= capacity && seen_written_ % sizeof(length) == 0);
    length bytes = 0;
    copy_out(in_, read_, std::as_writable_bytes(std::span(&bytes, 1)));
    require(bytes > 0 && bytes <= largest_record && room_for(bytes) <= there);
    copy_out(in_, read_ + sizeof bytes, std::span(front_).first(bytes));
    front_bytes_ = bytes;
  }
  return std::span<std::byte const>(front_).first(front_bytes_);
}

void shared_ring::pop() {
  read_ += room_for(std::exchange(front_bytes_, 0));
  in_.read.store(read_, std::memory_order_release);
}

}  // namespace ovlp::real
