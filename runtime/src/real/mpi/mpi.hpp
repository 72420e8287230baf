// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ovlp::real {

/// What the runtime uses of MPI: point-to-point messages between the processes that a launcher has started, of at most
/// `most_bytes` each. It stands in a module for each MPI library, which is loaded when a run asks for it.
/// Blocks: nothing waits for another process.
/// Thread: one at a time. Errors: network_error.
class mpi {
 public:
  /// What a message is, beside whom it is from.
  enum class tag : std::uint8_t { message, bulk, ticket };
  struct arrival {
    int from;
    std::size_t bytes;
  };
  /// Where processes share a machine, the library may copy a message within one call, during which this process sends
  /// nothing else: not too much of it. (Counts of MPI 3 are int.)
  static constexpr std::size_t most_bytes = std::size_t{1} << 24;

  mpi() = default;
  mpi(mpi const&) = delete;
  mpi& operator=(mpi const&) = delete;
  virtual ~mpi() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// "Open MPI v4.1.4, ..."
  virtual std::string version() const = 0;

  /// Sends the pieces as one message; they stay where they are until it has ended. Returns whether it has already; else
  /// `key` comes in ended(). Messages of one tag to one process arrive in order.
  virtual bool send(std::span<std::span<std::byte const> const> pieces, int to, tag what, std::uint64_t key) = 0;
  /// The next message of this tag from there comes into this place, then `key` in ended().
  virtual void receive(std::span<std::byte> into, int from, tag what, std::uint64_t key) = 0;
  /// Makes progress. Adds the keys of what has ended since.
  virtual void ended(std::vector<std::uint64_t>& keys) = 0;
  /// A message that has come, or begins to, and that no receive() waits for: take() takes it. Returns whether all of it
  /// is here; else `key` comes in ended().
  virtual std::optional<arrival> probe(tag what) = 0;
  virtual bool take(std::span<std::byte> into, std::uint64_t key) = 0;

  /// Tells the others that this process has come to the end; over once all have.
  virtual void begin_end() = 0;
  virtual bool all_at_end() = 0;
  virtual void finalize() = 0;
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace ovlp::real
