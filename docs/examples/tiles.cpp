// SPDX-License-Identifier: BSD-3-Clause
// The longest common subsequence of two texts. A table is computed tile by tile, each as soon as the tiles above and
// left of it are there:  tiles --nodes 3
#include <algorithm>
#include <cstdio>
#include <map>
#include <ovlp/ovlp.hpp>
#include <string>
#include <vector>

constexpr std::size_t size = 50, tiles = 8;  // of a tile, and in a row of them

struct Tile {
  std::size_t row, column;
};
struct Edge {  // the lowest line of the tile above, with the corner before it
  std::size_t row, column;
  std::vector<int> values;
};
struct Row {  // of tiles; the state of a DPS thread
  std::map<std::size_t, std::vector<int>> above;
  std::vector<int> left = std::vector<int>(size + 1);  // the rightmost column of the tile before
  std::size_t next = 0;
};
using Here = ovlp::here<Row>;

char letter(std::size_t text, std::size_t place) { return "GATC"[(place * place * (text + 3) + place / 7) % 4]; }

void each(int, ovlp::out<Tile>& all) {
  for (std::size_t diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal)
    for (std::size_t row = 0; row < tiles; ++row)
      if (row <= diagonal && diagonal - row < tiles) all.post({row, diagonal - row});
}
Edge compute(Here& here, Tile tile) {
  Row& mine = here.state;
  auto const is_there = [&] { return tile.row == 0 || mine.above.contains(tile.column); };
  here.wait_until([&] { return mine.next == tile.column && is_there(); });
  std::vector<int> line(size + 1);  // of the table, from top to bottom
  if (tile.row > 0) line = std::move(mine.above.extract(tile.column).mapped());
  here.kernel("tiles.compute", {size}, [&] {
    std::vector<int> right{line.back()};
    for (std::size_t y = 0; y < size; ++y) {
      std::vector<int> below{mine.left[y + 1]};
      for (std::size_t x = 0; x < size; ++x) {
        bool const same = letter(0, tile.row * size + y) == letter(1, tile.column * size + x);
        below.push_back(same ? line[x] + 1 : std::max(line[x + 1], below[x]));
      }
      line = std::move(below);
      right.push_back(line.back());
    }
    mine.left = std::move(right);
  });
  mine.next = tile.column + 1;
  return {tile.row + 1, tile.column, std::move(line)};
}
int deposit(Here& here, Edge edge) {  // in the row below
  int const longest = edge.values.back();
  if (edge.row < tiles) here.state.above[edge.column] = std::move(edge.values);
  return longest;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> master{"master", 1};
  ovlp::threads<Row> rows{"rows", tiles};
  ovlp::graph const table{"table",
                          ovlp::split("each", master.at(0), each).window(2 * tiles) >>
                              ovlp::leaf("compute", rows.by(&Tile::row), compute) >>
                              ovlp::leaf("deposit", rows.by(&Edge::row), deposit) >>
                              ovlp::reduce("longest", master.at(0), [](int a, int b) { return std::max(a, b); })};
  std::printf("%d\n", run(table, 0));
}
