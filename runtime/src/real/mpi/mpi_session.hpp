// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "mpi.hpp"

namespace ovlp::real {

/// How many processes a launcher of MPI programs (mpirun, srun) says that it has started, this one among them; 0: this
/// process was started by none.
int started_by_mpi();
/// Which of them it is, before MPI is asked; 0, too, if that is not known.
int rank_by_launcher();

/// Whoever waits for it gets it next. Whoever leads the reactor takes it again and again; a heartbeat must not wait for
/// a large message to be over.
class queued_mutex {
 public:
  void lock() {
    next_.lock();
    held_.lock();
    next_.unlock();
  }
  void unlock() { held_.unlock(); }

 private:
  std::mutex next_;  ///< whoever has it is the next to hold
  std::mutex held_;
};

/// MPI in this process, which one run uses: from its beginning, when all processes of the run have been started, to its
/// end. Process 0 is node 0; each other process is a node from the time it gets a ticket until it is released, and then
/// waits for the next one.
/// Thread: any.
class mpi_session {
 public:
  /// Loads the module of the MPI that started this process, by the first call, and joins the others: ends the process
  /// with a line, `application` first, if that takes longer than the timeout. Errors: config_error if it was started by
  /// none, if there is no module for it, or if another MPI's module was loaded.
  static mpi_session& get(std::string const& application, double launch_timeout_s);

  std::size_t rank() const { return static_cast<std::size_t>(library_->rank()); }
  std::size_t size() const { return static_cast<std::size_t>(library_->size()); }

  /// Sends; `keeps` lives until all is sent. Returns whether it is already. Several may have one key, which then comes
  /// in ended() once for each.
  bool send(std::span<std::span<std::byte const> const> pieces, std::size_t to, mpi::tag what, std::uint64_t key,
            std::shared_ptr<void> keeps);
  /// A key of its own for something that is sent or received.
  std::uint64_t new_key();
  void receive(std::span<std::byte> into, std::size_t from, std::uint64_t key, std::shared_ptr<void> keeps);

  struct arrival {
    std::size_t from;
    std::uint64_t key;  ///< comes in ended() when all is here; 0: it is
    std::shared_ptr<std::vector<std::byte>> bytes;
  };
  /// Makes progress. Adds the keys of what has ended since.
  void ended(std::vector<std::uint64_t>& keys);
  /// The next message that comes, if any.
  std::optional<arrival> take_message();

  /// Process 0: makes that process a node.
  void send_ticket(std::size_t to, std::string const& ticket);
  /// Another process: waits until it is to be a node; none: the run has ended.
  std::optional<std::string> wait_for_ticket();
  /// Ends MPI in all processes; called in process 0, and in others when wait_for_ticket() has returned none. What has
  /// not been received is dropped. If the others do not come to the end, this process will end the job when it exits;
  /// after a failure it does not wait long for them.
  void end(bool failed = false);

 private:
  explicit mpi_session(std::unique_ptr<mpi> library) : library_(std::move(library)) {}
  std::optional<arrival> take(mpi::tag what) OVLP_REQUIRES(mutex_);
  void drop_what_comes();

  basic_mutex<queued_mutex> mutex_;
  std::unique_ptr<mpi> const library_;
  std::uint64_t last_key_ OVLP_GUARDED_BY(mutex_) = 0;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<void>> kept_ OVLP_GUARDED_BY(mutex_);  ///< by key
  std::shared_ptr<std::vector<std::byte>> spare_ OVLP_GUARDED_BY(mutex_);  ///< of a message, to be used again
  bool finalized_ OVLP_GUARDED_BY(mutex_) = false;
  bool over_ = false;  ///< the run has ended
};

}  // namespace ovlp::real
