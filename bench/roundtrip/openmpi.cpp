// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong of B bytes between two ranks of Open MPI, over TCP only.
//
//   mpirun --mca btl tcp,self --mca pml ob1 --bind-to core -np 2 roundtrip_openmpi --bytes 8 --rounds 20000 --pin
//
// Both ranks poll, so each needs a core of its own; with at most as many ranks as cores, how they are bound to these
// made no difference here. More ranks than slots (--oversubscribe) yield at each poll, which costs about 2 us.
#include <mpi.h>

#include <CLI/CLI.hpp>

#include "../contestant.hpp"

namespace {

/// Seconds of each of `rounds` round trips, as rank 0 sees them; rank 1 echoes.
std::vector<double> ping_pong(int rank, std::vector<char>& message, int rounds) {
  const int bytes = static_cast<int>(message.size()), peer = 1 - rank;
  const auto send = [&] { MPI_Send(message.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD); };
  const auto receive = [&] { MPI_Recv(message.data(), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); };
  std::vector<double> seconds(static_cast<std::size_t>(rounds));
  for (double& s : seconds) {
    const auto start = bench::clock::now();
    if (rank == 0) send(), receive();
    else receive(), send();
    s = bench::seconds_since(start);
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bytes = 8;
  int rounds = 20'000;
  bool pin = false;
  CLI::App app{"Ping-pong between two ranks of Open MPI"};
  app.add_option("--bytes", bytes, "bytes each way")->check(CLI::Range(1, 1 << 30));
  app.add_option("--rounds", rounds, "round trips that are timed")->check(CLI::PositiveNumber);
  app.add_flag("--pin", pin, "rank r on core r");
  CLI11_PARSE(app, argc, argv);

  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    std::fprintf(stderr, "roundtrip_openmpi: needs mpirun -np 2, has %d ranks\n", ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (pin) bench::pin_to_core(rank);

  std::vector<char> message(bytes);
  bench::fill(std::span<char>(message));
  ping_pong(rank, message, rounds / 10 + 1);  // warm-up: connects the sockets, touches the pages
  MPI_Barrier(MPI_COMM_WORLD);
  const auto round_trips = ping_pong(rank, message, rounds);
  if (!bench::is_filled(std::span<const char>(message))) {
    std::fprintf(stderr, "roundtrip_openmpi: the message is not what was sent\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) bench::report(bench::round_trip_result("openmpi", bytes, round_trips));
  MPI_Finalize();
}
