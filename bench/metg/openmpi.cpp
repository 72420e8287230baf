// SPDX-License-Identifier: BSD-3-Clause
// METG of Open MPI. A rank has neighbouring columns, and hands outputs among these without messages. An output goes at
// most once to another rank, as soon as it is there. Receives are posted a step ahead, and tasks that need nothing from
// other ranks run before those that wait.
//
//   mpirun --mca btl vader,self --bind-to core -np 2 metg_openmpi --cores 2 --pattern fft
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "contestant.hpp"

namespace {

using namespace bench::metg;

/// What a rank has of the grid.
class part {
 public:
  part(const grid& g, int rank, int ranks) : grid_(g) {
    const auto count = static_cast<std::uint32_t>(ranks), self = static_cast<std::uint32_t>(rank);
    for (std::uint32_t r = 0; r < count; ++r) {
      column_set columns = 0;
      for (std::uint32_t c = r * g.width / count; c < (r + 1) * g.width / count; ++c) columns |= set_of(c);
      columns_of_.push_back(columns);
      for_each(columns, [&](std::uint32_t) { rank_of_.push_back(static_cast<int>(r)); });
    }
    mine_ = columns_of_[self];
  }

  /// Runs the grid. Returns the sum of the last step's values of all ranks, on rank 0.
  std::uint64_t run(std::uint64_t iterations) {
    grid_.iterations = iterations;
    for (std::uint32_t step = 0; step < grid_.steps; ++step) run_step(step);
    finish(sends_[0]);
    finish(sends_[1]);
    std::uint64_t sum = 0, all = 0;
    for_each(mine_, [&](std::uint32_t c) { sum += outputs_[(grid_.steps - 1) % 2][c].value; });
    MPI_Reduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
  }

 private:
  using requests = std::vector<MPI_Request>;

  static void finish(requests& all) {
    MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
    all.clear();
  }

  void run_step(std::uint32_t step) {
    finish(sends_[step % 2]);  // of two steps ago, from where this step's outputs go
    requests& arrivals = receives_[step % 2];
    if (step + 1 < grid_.steps) receive(step + 1);
    for_each(mine_, [&](std::uint32_t c) {
      if ((grid_.dependencies(step, c) & ~mine_) == 0) compute(step, c);
    });
    finish(arrivals);
    for_each(mine_, [&](std::uint32_t c) {
      if ((grid_.dependencies(step, c) & ~mine_) != 0) compute(step, c);
    });
  }

  /// Posts the receives of what this rank's tasks of a step take from others. Tags are columns; what comes for two
  /// steps from one column comes in order.
  void receive(std::uint32_t step) {
    column_set wanted = 0;
    for_each(mine_, [&](std::uint32_t c) { wanted |= grid_.dependencies(step, c); });
    for_each(wanted & ~mine_, [&](std::uint32_t from) {
      MPI_Irecv(&outputs_[(step - 1) % 2][from], sizeof(output), MPI_BYTE, rank_of_[from], static_cast<int>(from),
                MPI_COMM_WORLD, &receives_[step % 2].emplace_back());
    });
  }

  void compute(std::uint32_t step, std::uint32_t column) {
    inputs in;
    for_each(grid_.dependencies(step, column), [&](std::uint32_t from) { in.take(outputs_[(step + 1) % 2][from]); });
    output& made = outputs_[step % 2][column];
    made = grid_.compute(step, column, in);
    const column_set dependents = grid_.dependents(step, column) & ~mine_;
    if (dependents == 0) return;
    for (std::size_t r = 0; r < columns_of_.size(); ++r) {
      if ((dependents & columns_of_[r]) == 0) continue;
      MPI_Isend(&made, sizeof made, MPI_BYTE, static_cast<int>(r), static_cast<int>(column), MPI_COMM_WORLD,
                &sends_[step % 2].emplace_back());
    }
  }

  grid grid_;
  std::vector<column_set> columns_of_;  ///< by rank
  std::vector<int> rank_of_;            ///< by column
  column_set mine_ = 0;
  std::array<std::array<output, most_columns>, 2> outputs_{};  ///< of even and of odd steps
  std::array<requests, 2> sends_, receives_;
};

}  // namespace

int main(int argc, char** argv) try {
  request asked;
  CLI::App app{"Minimum effective task granularity of Open MPI"};
  asked.describe([&](const char* name, auto& variable, const char* text) { app.add_option(name, variable, text); });
  CLI11_PARSE(app, argc, argv);

  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  part tasks(asked.grid(), rank, ranks);

  // Rank 0 measures; it tells the others the size of each run's kernels, and at last that there are no more.
  constexpr std::uint64_t no_more = std::numeric_limits<std::uint64_t>::max();
  const auto announced = [](std::uint64_t iterations) {
    MPI_Bcast(&iterations, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return iterations;
  };
  if (rank == 0) {
    compete("openmpi", asked, [&](const grid& g) { return tasks.run(announced(g.iterations)); });
    announced(no_more);
  } else {
    for (std::uint64_t iterations; (iterations = announced(0)) != no_more;) tasks.run(iterations);
  }
  MPI_Finalize();
} catch (const std::exception& error) {
  std::fprintf(stderr, "metg_openmpi: %s\n", error.what());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
