// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/threads/communication.hpp>
#include <ovlp/threads/counters.hpp>

namespace ovlp::shared_memory {

/// What a program is asked to count.
struct counting_options {
  definition how = definition::relaxed;
  std::uint64_t block_bytes = 64;  ///< relaxed: a power of two from 64 to 2^20
  std::array<cache_level, cache_levels> caches = nehalem;
  std::vector<std::size_t> units;  ///< accurate: on which threads run; those beyond, thread t on unit t
  bool clear_freed = false;        ///< relaxed: memory that is freed has been accessed by nobody
};

/// The counters of a program, in a file of this folder. `ovlp threads trace` makes them, starts the program with
/// `counters_variable`, and reads them: while it runs, and when it has ended, in whatever way.
/// Thread: one at a time.
class shared_counters {
 public:
  /// Errors: config_error for what cannot be counted so; io_error.
  shared_counters(std::string const& folder, counting_options const& options);
  shared_counters(shared_counters const&) = delete;
  shared_counters& operator=(shared_counters const&) = delete;
  ~shared_counters();

  std::string const& file() const { return file_; }
  bool started() const { return now_->started != 0; }
  std::uint32_t unobserved_threads() const { return now_->unobserved; }
  std::uint32_t forks() const { return now_->forks; }
  /// Programs beside the first one, which was counted alone.
  std::uint32_t other_programs() const { return now_->others; }

  /// What has been counted so far is a phase of its own, or the end of one. Nothing happens before the start. False, if
  /// all marks would take more than 512 MiB: then what follows is one phase.
  bool mark();

  /// What was counted, from mark to mark, and from one beginning of a phase, as the program said, to the next.
  /// Errors: config_error if the program has not begun, or could not count.
  communication read(std::string const& program);

 private:
  struct snapshot;

  snapshot now() const;
  /// What was counted in between, of so many threads.
  communication_phase between(snapshot const& before, snapshot const& after, std::size_t threads) const;
  std::vector<snapshot> phases_of_program() const;

  std::string file_;
  counters* now_;
  std::vector<snapshot> marks_;
  std::size_t marks_bytes_ = 0;
};

}  // namespace ovlp::shared_memory
