// SPDX-License-Identifier: BSD-3-Clause
// A breadth-first search: how many moves a knight needs to each square. What is found decides what comes next, so the
// kernels that find it always run:  search --nodes 3 --size 100
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <vector>

using Squares = std::vector<int>;

void cut(Squares front, ovlp::out<Squares>& pieces, std::size_t workers) {
  for (std::size_t i = 0; i < workers; ++i) {
    auto const at = [&](std::size_t part) { return front.begin() + static_cast<long>(front.size() * part / workers); };
    pieces.post({at(i), at(i + 1)});
  }
}
Squares expand(ovlp::here<>& here, Squares front, int size) {
  constexpr int jumps[][2]{{1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};
  Squares reached;
  auto const jump = [&] {
    for (int square : front) {
      for (auto const& [right, down] : jumps) {
        int const x = square % size + right, y = square / size + down;
        if (x >= 0 && x < size && y >= 0 && y < size) reached.push_back(y * size + x);
      }
    }
  };
  here.kernel("search.expand", {front.size()}, jump, ovlp::always_runs);
  return reached;
}

struct Found {
  std::size_t squares;
  int moves;
};
Found levels(ovlp::here<>& here, int size, ovlp::graph<Squares, std::vector<Squares>> const& level) {
  std::vector<bool> seen(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  seen[0] = true;
  Found found{1, 0};
  for (Squares front{0};;) {
    here.iteration(found.moves + 1);
    std::size_t const expanded = front.size();
    std::vector<Squares> const reached = here.call(level, std::move(front));
    front.clear();
    auto const sift = [&] {
      for (Squares const& piece : reached)
        for (int const square : piece)
          if (!seen[static_cast<std::size_t>(square)])
            seen[static_cast<std::size_t>(square)] = true, front.push_back(square);
    };
    here.kernel("search.sift", {expanded}, sift, ovlp::always_runs);
    if (front.empty()) return found;
    found.squares += front.size();
    ++found.moves;
  }
}

int main(int argc, char** argv) {
  int size = 8;
  ovlp::options options{"search", "How many moves a knight needs to reach each square"};
  options.add("--size", size, "squares in a row of the board").at_least(1);
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, workers{"workers", 2 * run.nodes()};
  auto const by_square = [](auto sizes) { return 20e-9 * static_cast<double>(sizes[0]); };
  run.estimate("search.expand", by_square);  // seconds that a simulation charges
  run.estimate("search.sift", by_square);

  ovlp::graph const level{"level", ovlp::split("cut", master.at(0), cut, 2 * run.nodes()) >>
                                       ovlp::leaf("expand", workers.in_turn(), expand, size) >>
                                       ovlp::gather("reached", master.at(0))};
  ovlp::graph const search = ovlp::leaf("levels", master.at(0), levels, level);
  run.add(level);
  Found const found = run(search, size);
  std::printf("%zu squares in at most %d moves\n", found.squares, found.moves);
}
