// SPDX-License-Identifier: BSD-3-Clause
// LU factorization with partial pivoting by ScaLAPACK's pdgetrf on a 1 x P grid: block columns, dealt in turn.
// The call of mpirun chooses the transport. Over TCP, as ovlp runs:
//   mpirun --mca pml ob1 --mca btl tcp,self --bind-to core -np 2 lu_scalapack --n 4096 --nb 128 --pin
// over shared memory, Open MPI's best on one machine:
//   mpirun --mca pml ob1 --mca btl vader,self --bind-to core -np 2 lu_scalapack --n 4096 --nb 128 --pin
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "../contestant.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* nb, const int* process, const int* source, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* source_row,
               const int* source_column, const int* context, const int* leading_dimension, int* info);
void pdgetrf_(const int* m, const int* n, double* a, const int* ia, const int* ja, const int* descriptor, int* pivots,
              int* info);
void pdgetrs_(const char* transposed, const int* n, const int* right_hand_sides, const double* a, const int* ia,
              const int* ja, const int* descriptor, const int* pivots, double* b, const int* ib, const int* jb,
              const int* descriptor_b, int* info, std::size_t transposed_length);
}

namespace {

using descriptor = std::array<int, 9>;

/// One BLAS thread per process. OpenBLAS offers a call; another BLAS hears only what its environment said at start.
void use_one_blas_thread(char** argv) {
  using setter = void (*)(int);
  if (const auto set_threads = reinterpret_cast<setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) {
    set_threads(1);
    return;
  }
  if (const char* set = std::getenv("OMP_NUM_THREADS"); set && std::strcmp(set, "1") == 0) return;
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) setenv(name, "1", 1);
  execv("/proc/self/exe", argv);
  throw std::system_error(errno, std::generic_category(), "lu_scalapack: re-exec for one BLAS thread");
}

/// Element (row, column) of the matrix, uniform in [-0.5, 0.5), whatever the distribution.
/// Source: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), applied to a counter.
double element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  std::uint64_t z =
      seed + 0x9e3779b97f4a7c15U * (1 + (static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint64_t>(row)));
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53 - 0.5;
}

/// The block columns of an n x n matrix which process `rank` of `ranks` holds, each column whole.
struct panel {
  int n, nb, rank, ranks, context = 0;
  int columns = 0;
  descriptor shape{};
  std::vector<double> elements{};  // column-major, leading dimension n
  std::vector<int> pivots{};

  panel(int order, int block, int this_rank, int all_ranks) : n(order), nb(block), rank(this_rank), ranks(all_ranks) {
    const int zero = 0;
    int info = 0;
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "Row", 1, ranks);
    columns = numroc_(&n, &nb, &rank, &zero, &ranks);
    descinit_(shape.data(), &n, &n, &nb, &nb, &zero, &zero, &context, &n, &info);
    elements.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
    pivots.resize(static_cast<std::size_t>(n + nb));
  }
  panel(const panel&) = delete;
  panel& operator=(const panel&) = delete;
  ~panel() { Cblacs_gridexit(context); }

  /// The column of the whole matrix that stands in the local column `j`.
  int global_column(int j) const { return (j / nb * ranks + rank) * nb + j % nb; }

  void fill(std::uint64_t seed) {
    double* next = elements.data();
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < n; ++i) *next++ = element(seed, i, global_column(j));
  }

  /// Seconds of the factorization alone, from barrier to barrier.
  double factor() {
    const int one = 1;
    int info = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = bench::clock::now();
    pdgetrf_(&n, &n, elements.data(), &one, &one, shape.data(), pivots.data(), &info);
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = bench::seconds_since(start);
    if (info != 0) throw std::runtime_error("lu_scalapack: pdgetrf returned " + std::to_string(info));
    return seconds;
  }

  /// |A x - b| / (eps n |A| |x|) in the maximum norm, x from these factors, b = (1, ..., 1): about 1 or below.
  double residual(std::uint64_t seed) {
    const int zero = 0, one = 1;
    int info = 0;
    descriptor b_shape{};
    descinit_(b_shape.data(), &n, &one, &nb, &nb, &zero, &zero, &context, &n, &info);
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> x(size, 1.0), local(2 * size), total(2 * size);  // A x, then the row sums of |A|
    pdgetrs_("N", &n, &one, elements.data(), &one, &one, shape.data(), pivots.data(), x.data(), &one, &one,
             b_shape.data(), &info, 1);
    MPI_Bcast(x.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < n; ++i) {
        const double a = element(seed, i, global_column(j));
        local[static_cast<std::size_t>(i)] += a * x[static_cast<std::size_t>(global_column(j))];
        local[size + static_cast<std::size_t>(i)] += std::abs(a);
      }
    MPI_Allreduce(local.data(), total.data(), 2 * n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double worst = 0, norm_a = 0, norm_x = 0;
    for (std::size_t i = 0; i < size; ++i) {
      worst = std::max(worst, std::abs(total[i] - 1.0));
      norm_a = std::max(norm_a, total[size + i]);
      norm_x = std::max(norm_x, std::abs(x[i]));
    }
    return worst / (std::numeric_limits<double>::epsilon() * n * norm_a * norm_x);
  }
};

}  // namespace

int main(int argc, char** argv) {
  int n = 4096, nb = 128, warm_up = 1024;
  std::uint64_t seed = 1;
  bool pin = false, check = false;
  CLI::App app{"LU factorization by ScaLAPACK's pdgetrf"};
  app.add_option("--n", n, "order of the matrix")->check(CLI::PositiveNumber);
  app.add_option("--nb", nb, "columns in a block")->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "seed of the matrix");
  app.add_option("--warm-up", warm_up, "order of the matrix factored before the timed one")->check(CLI::PositiveNumber);
  app.add_flag("--pin", pin, "rank r on core r");
  app.add_flag("--check", check, "compute the residual; the run fails above 10");
  CLI11_PARSE(app, argc, argv);

  use_one_blas_thread(argv);
  MPI_Init(&argc, &argv);
  try {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (pin) bench::pin_to_core(rank);

    {
      panel warm(warm_up, nb, rank, ranks);
      warm.fill(seed);
      warm.factor();
    }
    panel a(n, nb, rank, ranks);
    a.fill(seed);
    const double seconds = a.factor();
    bench::json result{{"contestant", "scalapack"},
                       {"seconds", seconds},
                       {"n", n},
                       {"nb", nb},
                       {"ranks", ranks},
                       {"seed", seed},
                       {"gflops", 2e-9 / 3.0 * std::pow(n, 3) / seconds}};
    if (check) result["residual"] = a.residual(seed);
    if (check && !(result["residual"] <= bench::most_residual)) throw std::runtime_error("lu_scalapack: wrong factors");
    if (rank == 0) bench::report(result);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
