// SPDX-License-Identifier: BSD-3-Clause
// The longest common subsequence of two texts. The table of lengths has a row for each letter of one text and a column
// for each of the other. Each stage of a pipeline has some columns; blocks of rows pass through all stages.
#include <algorithm>
#include <cstdio>
#include <map>
#include <ovlp/ovlp.hpp>
#include <string>
#include <vector>

struct Block {
  std::string letters;    // of its rows
  std::vector<int> left;  // the table's column left of the next stage
};

void cut(std::string text, ovlp::out<Block>& blocks, std::size_t rows) {
  for (std::size_t first = 0; first < text.size(); first += rows) {
    std::string const letters = text.substr(first, rows);
    blocks.post({letters, std::vector<int>(letters.size())});
  }
}
void stage(ovlp::in<Block>& blocks, ovlp::out<Block>& next, std::string const& letters) {
  std::vector<int> row(letters.size() + 1);  // the last one, with the element left of it
  std::map<std::size_t, Block> early;        // blocks may overtake each other
  std::size_t turn = 0;
  for (Block& come : blocks) {
    early[blocks.place()] = std::move(come);
    for (; early.contains(turn); ++turn) {
      Block block = std::move(early.extract(turn).mapped());
      for (std::size_t i = 0; i < block.letters.size(); ++i) {
        int diagonal = std::exchange(row[0], block.left[i]);
        for (std::size_t j = 0; j < letters.size(); ++j) {
          int const longest = block.letters[i] == letters[j] ? diagonal + 1 : std::max(row[j], row[j + 1]);
          diagonal = std::exchange(row[j + 1], longest);
        }
        block.left[i] = row.back();
      }
      next.post(std::move(block));
    }
  }
}
int length(Block block) { return block.left.back(); }
int larger(int a, int b) { return std::max(a, b); }

/// Letters that repeat only after long.
std::string text(unsigned length, unsigned seed) {
  std::string made;
  for (unsigned i = 0; i < length; ++i) made += "ACGT"[(seed = seed * 1103515245 + 12345) >> 16 & 3];
  return made;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  std::size_t const count = 4;
  ovlp::threads<> const master{"master", 1}, stages{"stages", count};
  std::string const one = text(1000, 1), other = text(800, 2);

  auto pipeline = ovlp::split("blocks", master.at(0), cut, std::size_t{50});
  for (std::size_t i = 0; i < count; ++i)
    pipeline = pipeline >> ovlp::stream("stage", stages.at(i), stage, other.substr(i * 200, 200));
  ovlp::graph const longest{"longest", pipeline >> ovlp::leaf("length", master.at(0), length) >>
                                           ovlp::reduce("longest", master.at(0), larger)};
  std::printf("%d\n", run(longest, one));
}
