// SPDX-License-Identifier: BSD-3-Clause
// How much work MPI's non-blocking collectives hide:
//
//   mpirun -n 4 overlap_bench_mpi --time 0.005 all-to-all barrier
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <CLI/CLI.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/text.hpp>

#include "bench/benchmark.hpp"
#include "bench/work.hpp"

// Each rank ends its requests with MPI_Wait, which the analyzer does not see.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
namespace {

using namespace ovlp::overlap_bench;

/// What rank 0 tells the others to do next.
struct order {
  trial what;
  std::size_t runs;  ///< 0: it was the last
};

/// One rank: its buffers, and a run of an operation.
class rank {
 public:
  rank() {
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    one_clock_ = all_have_one_clock();
  }
  int number() const { return number_; }
  std::size_t ranks() const { return static_cast<std::size_t>(ranks_); }

  /// All ranks call it with the same. Returns: what rank 0 needs, of the slowest rank.
  std::vector<run_times> run(trial const& what, std::size_t runs) {
    make_buffers(what);
    std::vector<run_times> mine, slowest(runs);
    for (std::size_t i = 0; i < runs; ++i) mine.push_back(run_once(what));
    static_assert(sizeof(run_times) == 3 * sizeof(double));
    MPI_Reduce(mine.data(), slowest.data(), static_cast<int>(3 * runs), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
  }

 private:
  /// Of one machine, so that all can start at one time.
  static bool all_have_one_clock() {
    std::array<char, 128> name{}, name_of_root{};
    ovlp::base::monotonic_clock_name().copy(name.data(), name.size() - 1);
    name_of_root = name;
    MPI_Bcast(name_of_root.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    int same = name[0] != 0 && name == name_of_root ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return same == 1;
  }

  void make_buffers(trial const& what) {
    bool const varies = what.what == operation::all_to_allv;
    counts_out_.assign(ranks(), 0);
    counts_in_ = places_out_ = places_in_ = counts_out_;
    std::size_t out = 0, in = 0;
    for (std::size_t other = 0; other < ranks(); ++other) {
      auto const self = static_cast<std::size_t>(number_);
      std::size_t const to = varies ? bytes_at((other + ranks() - self) % ranks(), what.bytes, ranks()) : what.bytes;
      std::size_t const from = varies ? bytes_at((self + ranks() - other) % ranks(), what.bytes, ranks()) : what.bytes;
      places_out_[other] = static_cast<int>(std::exchange(out, out + to));
      places_in_[other] = static_cast<int>(std::exchange(in, in + from));
      counts_out_[other] = static_cast<int>(to);
      counts_in_[other] = static_cast<int>(from);
    }
    out_.resize(std::max(out, what.bytes + sizeof(double)));
    in_.resize(std::max(in, what.bytes + sizeof(double)));
  }

  void start_together() const {
    double start_s = ovlp::base::monotonic_s() + 1e-3 + 1e-4 * static_cast<double>(ranks_);
    MPI_Bcast(&start_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (one_clock_) start_at(start_s);
  }

  MPI_Request post(trial const& what) {
    MPI_Request request = MPI_REQUEST_NULL;
    auto const bytes = static_cast<int>(what.bytes);
    auto const doubles = static_cast<int>((what.bytes + sizeof(double) - 1) / sizeof(double));
    MPI_Comm all = MPI_COMM_WORLD;
    switch (what.what) {
      case operation::broadcast: MPI_Ibcast(out_.data(), bytes, MPI_BYTE, 0, all, &request); break;
      case operation::scatter:
        MPI_Iscatter(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, 0, all, &request);
        break;
      case operation::gather:
        MPI_Igather(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, 0, all, &request);
        break;
      case operation::reduce:
        MPI_Ireduce(out_.data(), in_.data(), doubles, MPI_DOUBLE, MPI_SUM, 0, all, &request);
        break;
      case operation::all_reduce:
        MPI_Iallreduce(out_.data(), in_.data(), doubles, MPI_DOUBLE, MPI_SUM, all, &request);
        break;
      case operation::all_gather:
        MPI_Iallgather(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, all, &request);
        break;
      case operation::all_to_all:
        MPI_Ialltoall(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, all, &request);
        break;
      case operation::all_to_allv:
        MPI_Ialltoallv(out_.data(), counts_out_.data(), places_out_.data(), MPI_BYTE, in_.data(), counts_in_.data(),
                       places_in_.data(), MPI_BYTE, all, &request);
        break;
      case operation::barrier: MPI_Ibarrier(all, &request); break;
    }
    return request;
  }

  run_times run_once(trial const& what) {
    start_together();
    double const start_s = MPI_Wtime();
    MPI_Request request = post(what);
    double const posted_s = MPI_Wtime();
    std::size_t const slices = what.work_s > 0 ? what.slices : 0;
    for (std::size_t i = 0; i < slices; ++i) {
      int done = 0;
      if (i > 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      compute_for(what.work_s / static_cast<double>(slices));
    }
    double const worked_s = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double const end_s = MPI_Wtime();
    return {end_s - start_s, posted_s - start_s, end_s - worked_s};
  }

  int number_ = 0, ranks_ = 1;
  bool one_clock_ = false;
  std::vector<char> out_, in_;
  std::vector<int> counts_out_, counts_in_, places_out_, places_in_;  // of all-to-allv, by rank
};

void tell(order& next) { MPI_Bcast(&next, sizeof next, MPI_BYTE, 0, MPI_COMM_WORLD); }

/// Does what rank 0 says.
void follow(rank& self) {
  for (order next{}; tell(next), next.runs > 0;) self.run(next.what, next.runs);
}

/// Of rank 0. Returns: the status of the program.
int lead(rank& self, settings const& what) {
  int status = 0;
  try {
    run_benchmark(what, "mpi", self.ranks(), [&](trial const& one, std::size_t runs) {
      if (one.bytes * self.ranks() > std::numeric_limits<int>::max())
        throw ovlp::config_error("MPI's places of blocks are of type int: " + std::to_string(self.ranks()) +
                                 " blocks of " + std::to_string(one.bytes) + " bytes are too many");
      order next{one, runs};
      tell(next);
      return self.run(one, runs);
    });
  } catch (ovlp::error const& error) {
    std::fprintf(stderr, "overlap_bench: %s\n", error.what());
    status = 2;
  }
  order last{};
  tell(last);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank self;
  settings what;
  CLI::App options("The most work that MPI's non-blocking collectives hide", "overlap_bench_mpi");
  options.add_option("operations", what.operations, "broadcast, ...; none: all");
  options.add_option("--bytes", what.bytes, "of a block")->check(CLI::Range(std::size_t{1}, settings::most_bytes));
  options.add_option("--time", what.least_s, "seconds that an operation is to take, in the place of --bytes")
      ->check(CLI::NonNegativeNumber);
  options.add_option("--slices", what.slices, "of the work, in the row with progress")->check(CLI::Range(2, 1000000));
  options.add_option("--runs", what.search.runs, "of each trial")->check(CLI::Range(1, 1000000));
  options.add_option("--searches", what.search.searches, "how many")->check(CLI::Range(1, 1000000));
  options
      .add_option("--tolerance", what.search.tolerance, "by which a trial may be longer, as a part of the reference")
      ->check(CLI::Range(0.0, 1.0));
  int status = 0;
  try {
    options.parse(argc, argv);
    operations_named(what.operations);
    if (self.ranks() < 2) throw ovlp::config_error("expected at least 2 ranks, got 1");
    if (self.number() == 0) status = lead(self, what);
    else follow(self);
  } catch (CLI::Success const& asked) {
    if (self.number() == 0) options.exit(asked);
  } catch (std::exception const& wrong) {
    if (self.number() == 0) std::fprintf(stderr, "overlap_bench: %s\n", ovlp::base::one_line(wrong.what()).c_str());
    status = 2;
  }
  MPI_Finalize();
  return status;
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
