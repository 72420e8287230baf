// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_session.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/modules.hpp>
#include <ovlp/runtime/internal/periodic.hpp>

namespace ovlp::real {
namespace {

constexpr char const* srun_count = "SLURM_STEP_NUM_TASKS";  // of processes that srun has started

/// MPI libraries that there are modules for, and how who starts their processes tells how many these are: variables of
/// the environment. Where `srun_sign` is there, srun did, and counts.
struct known_library {
  char const* name;
  char const* module;
  char const* package;
  std::vector<char const*> counts;
  char const* srun_sign;
};
std::vector<known_library> const& known_libraries() {
  static std::vector<known_library> const all{
      {"Open MPI", "ovlp_openmpi.so", "libopenmpi-dev", {"OMPI_COMM_WORLD_SIZE"}, "PMIX_NAMESPACE"},
      {"MPICH", "ovlp_mpich.so", "libmpich-dev", {"PMI_SIZE", "MPI_LOCALNRANKS"}, nullptr},
  };
  return all;
}

char const* variable(char const* name) { return std::getenv(name); }  // NOLINT(concurrency-mt-unsafe)

int number_in(char const* name) {
  char const* const text = variable(name);
  int number = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

int started_by(known_library const& library) {
  int most = 0;
  for (char const* count : library.counts) most = std::max(most, number_in(count));
  bool const by_srun = library.srun_sign != nullptr && variable(library.srun_sign) != nullptr;
  return by_srun ? std::max(most, number_in(srun_count)) : most;
}

known_library const* find_launcher() {
  for (known_library const& library : known_libraries()) {
    if (started_by(library) > 0) return &library;
  }
  return nullptr;
}

/// Ends the process if MPI_Init does not return: it waits for all processes, and under MPICH for ever if one of them
/// has ended before its own.
std::jthread watch_init(std::string const& application, int processes, double launch_timeout_s) {
  // The others' launchers end them when the first has said it.
  std::chrono::duration<double> const patience(std::min(launch_timeout_s, 1e9) + std::min(rank_by_launcher(), 3));
  return periodically(std::chrono::duration_cast<std::chrono::milliseconds>(patience), [=] {
    ::dprintf(STDERR_FILENO,
              "%s: --transport mpi: MPI_Init of process %d of %d has not ended within the %g s of --launch-timeout: "
              "others have not come to theirs\n",
              application.c_str(), rank_by_launcher(), processes, launch_timeout_s);
    ::_exit(1);
  });
}

constexpr std::chrono::seconds end_patience{5};
constexpr std::chrono::seconds failed_end_patience{1};
constexpr std::chrono::microseconds longest_pause{1000};

}  // namespace

int started_by_mpi() {
  known_library const* const launcher = find_launcher();
  return launcher == nullptr ? number_in(srun_count) : started_by(*launcher);
}

int rank_by_launcher() {
  int rank = 0;
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    rank = std::max(rank, number_in(name));
  return rank;
}

mpi_session& mpi_session::get(std::string const& application, double launch_timeout_s) {
  static mpi_session* session = nullptr;  // for as long as the process
  if (session != nullptr) {
    if (session->over_) throw config_error("--transport mpi: a process makes one run over MPI, and that has ended");
    return *session;
  }
  known_library const* const launcher = find_launcher();
  if (launcher == nullptr) {
    if (number_in(srun_count) > 0) {
      throw config_error(
          "--transport mpi: srun has not prepared MPI: expected 'srun --mpi=pmix' for Open MPI, 'srun --mpi=pmi2' for "
          "MPICH");
    }
    throw config_error(
        "--transport mpi: expected to be started by mpirun or srun, as in 'mpirun -n 4 PROGRAM "
        "--transport mpi'");
  }
  using maker = mpi*();
  auto* const make =
      base::load_module<maker>(std::string("--transport mpi, started by ") + launcher->name, launcher->module,
                               "ovlp_make_mpi", std::string(launcher->package), base::symbols::global);
  std::unique_ptr<mpi> library;
  try {
    std::jthread const watch = watch_init(application, started_by(*launcher), launch_timeout_s);
    library.reset(make());
  } catch (network_error const& wrong) {
    throw config_error(std::string("--transport mpi: ") + wrong.what());
  }
  if (int const started = started_by(*launcher); library->size() != started) {
    throw config_error("--transport mpi: " + library->version() + " sees " + std::to_string(library->size()) +
                       " processes, but " + std::to_string(started) +
                       " were started: expected mpirun and the MPI library to be of one make and version");
  }
  return *(session = new mpi_session(std::move(library)));
}

bool mpi_session::send(std::span<std::span<std::byte const> const> pieces, std::size_t to, mpi::tag what,
                       std::uint64_t key, std::shared_ptr<void> keeps) {
  scoped_lock const lock(mutex_);
  if (finalized_ || library_->send(pieces, static_cast<int>(to), what, key)) return true;
  kept_.emplace(key, std::move(keeps));
  return false;
}

std::uint64_t mpi_session::new_key() {
  scoped_lock const lock(mutex_);
  return ++last_key_;
}

void mpi_session::receive(std::span<std::byte> into, std::size_t from, std::uint64_t key, std::shared_ptr<void> keeps) {
  scoped_lock const lock(mutex_);
  kept_.emplace(key, std::move(keeps));
  library_->receive(into, static_cast<int>(from), mpi::tag::bulk, key);
}

void mpi_session::ended(std::vector<std::uint64_t>& keys) {
  std::vector<std::shared_ptr<void>> freed;  // outside of the lock
  scoped_lock const lock(mutex_);
  if (finalized_) return;
  library_->ended(keys);
  for (std::uint64_t const key : keys) {
    auto const found = kept_.find(key);
    freed.push_back(std::move(found->second));
    kept_.erase(found);
  }
}

std::optional<mpi_session::arrival> mpi_session::take(mpi::tag what) {
  auto const come = library_->probe(what);
  if (!come) return std::nullopt;
  auto bytes =
      spare_ && spare_.use_count() == 1 ? std::exchange(spare_, nullptr) : std::make_shared<std::vector<std::byte>>();
  bytes->resize(come->bytes);
  std::uint64_t key = ++last_key_;
  if (library_->take(*bytes, key)) {
    key = 0;
    spare_ = bytes;
  } else {
    kept_.emplace(key, bytes);
  }
  return arrival{static_cast<std::size_t>(come->from), key, std::move(bytes)};
}

std::optional<mpi_session::arrival> mpi_session::take_message() {
  scoped_lock const lock(mutex_);
  return finalized_ ? std::nullopt : take(mpi::tag::message);
}

void mpi_session::send_ticket(std::size_t to, std::string const& ticket) {
  auto const text = std::make_shared<std::string>(ticket);
  auto const bytes = std::as_bytes(std::span(*text));
  send(std::span(&bytes, 1), to, mpi::tag::ticket, new_key(), text);
}

std::optional<std::string> mpi_session::wait_for_ticket() {
  std::optional<arrival> come;
  std::vector<std::uint64_t> keys;
  auto const here = [&] { return come && (come->key == 0 || std::ranges::count(keys, come->key) > 0); };
  for (std::chrono::microseconds pause{1}; !here(); pause = std::min(2 * pause, longest_pause)) {
    std::this_thread::sleep_for(pause);
    keys.clear();
    ended(keys);
    scoped_lock const lock(mutex_);
    if (!come) come = take(mpi::tag::ticket);
  }
  if (come->bytes->empty()) return std::nullopt;
  return std::string(reinterpret_cast<char const*>(come->bytes->data()), come->bytes->size());
}

void mpi_session::drop_what_comes() {
  std::vector<std::uint64_t> keys;
  ended(keys);
  scoped_lock const lock(mutex_);
  for (mpi::tag const what : {mpi::tag::message, mpi::tag::bulk, mpi::tag::ticket}) {
    while (take(what)) {
    }
  }
}

void mpi_session::end(bool failed) {
  if (std::exchange(over_, true)) return;
  if (rank() == 0) {
    for (std::size_t r = 1; r < size(); ++r) send_ticket(r, "");
  }
  auto const until = std::chrono::steady_clock::now() + (failed ? failed_end_patience : end_patience);
  auto const wait = [&](auto const& over) {
    for (std::chrono::microseconds pause{1}; !over(); pause = std::min(2 * pause, longest_pause)) {
      drop_what_comes();
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(pause);
    }
    return true;
  };
  bool all_here = wait([&] {
    scoped_lock const lock(mutex_);
    return kept_.empty();
  });
  if (all_here) {
    {
      scoped_lock const lock(mutex_);
      library_->begin_end();
    }
    all_here = wait([&] {
      scoped_lock const lock(mutex_);
      return library_->all_at_end();
    });
  }
  scoped_lock const lock(mutex_);
  if (!all_here) {
    // When all is said.
    static mpi* const left = library_.get();
    std::atexit([] {
      std::fprintf(stderr, "ovlp: node%d ends the job, since others do not come to its end\n", left->rank());
      left->abort(1);
    });
    finalized_ = true;
    return;
  }
  library_->finalize();
  finalized_ = true;
}

}  // namespace ovlp::real
