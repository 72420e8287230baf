// SPDX-License-Identifier: BSD-3-Clause
// The two-dimensional Walsh-Hadamard transform of a square matrix, made as parallel Fourier transforms are: each strip
// of rows transforms its rows, then the matrix is transposed, for which every strip has a block for every other one.
//
//   hadamard --nodes 4 --n 2048 --rounds 4
//
//               by(&Block::to)
//   cut        ================> place --> placed --> ended      called for each round
//   everywhere                   leaf      reduce     reduce
#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <string>
#include <utility>
#include <vector>

using Elements = ovlp::buffer<double>;

struct Round {
  int number = 0;
};
struct Block {
  int round;
  std::size_t from, to;
  Elements elements;  ///< rows of the strip that it comes from
};

struct Shape {
  std::size_t n;
  std::size_t strips;
  std::size_t first(std::size_t strip) const { return strip * n / strips; }
  std::size_t rows(std::size_t strip) const { return first(strip + 1) - first(strip); }
};

/// Rows of the matrix: those of this round, and those that come for the next one.
struct Strip {
  Shape shape{};
  std::array<Elements, 2> fields;
  Elements& after(int rounds) { return fields[static_cast<std::size_t>(rounds % 2)]; }
};
using Strips = ovlp::threads<Strip>;
using Here = ovlp::here<Strip>;
using Graph = ovlp::graph<Round, Round>;

double initial(std::size_t row, std::size_t column) { return static_cast<double>((row * 31 + column * 17) % 101); }

/// Of one row, in place. The last two rounds of four divide by n, so that four give the matrix again, exactly.
void transform(double* row, std::size_t n, int round) {
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t i = 0; i < n; i += 2 * half) {
      for (std::size_t j = i; j < i + half; ++j) {
        double const a = row[j], b = row[j + half];
        row[j] = a + b;
        row[j + half] = a - b;
      }
    }
  }
  if (round % 4 < 2) return;
  for (std::size_t j = 0; j < n; ++j) row[j] /= static_cast<double>(n);
}

/// The same for all orders of rows: each element counts with its place.
std::uint64_t checksum(double const* rows, std::size_t count, std::size_t first, std::size_t n) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count * n; ++i) {
    sum += std::bit_cast<std::uint64_t>(rows[i]) * (2 * (first * n + i) + 1);
  }
  return sum;
}

void cut(Here& here, Round round, ovlp::out<Block>& blocks) {
  Shape const shape = here.state.shape;
  std::size_t const rows = shape.rows(here.index());
  Elements& mine = here.state.after(round.number);
  here.kernel("hadamard.transform", {rows, shape.n}, [&] {
    double* const first = mine.mutate().data();
    for (std::size_t r = 0; r < rows; ++r) transform(first + r * shape.n, shape.n, round.number);
  });
  for (std::size_t i = 0; i < shape.strips; ++i) {
    std::size_t const to = (here.index() + i) % shape.strips;  // all to different ones
    std::size_t const column = shape.first(to), columns = shape.rows(to);
    auto block = Elements::uninitialized(rows * columns);
    here.kernel("hadamard.cut", {rows, columns}, [&] {
      double* write = block.mutate().data();
      double const* const read = mine.data();
      for (std::size_t r = 0; r < rows; ++r) {
        write = std::copy_n(read + r * shape.n + column, columns, write);
      }
    });
    blocks.post({round.number, here.index(), to, block});
  }
}

/// Columns of the sender are rows here. Tile by tile, or each element would be fetched from memory: rows are some power
/// of two apart, so those of a column share a few places in the caches.
Round place(Here& here, Block block) {
  Shape const shape = here.state.shape;
  std::size_t const rows = shape.rows(here.index()), columns = shape.rows(block.from);
  Elements& next = here.state.after(block.round + 1);
  here.kernel("hadamard.place", {columns, rows}, [&] {
    double const* const read = block.elements.data();
    double* const write = next.mutate().data() + shape.first(block.from);
    constexpr std::size_t tile = 16;
    for (std::size_t top = 0; top < rows; top += tile) {
      for (std::size_t left = 0; left < columns; left += tile) {
        for (std::size_t r = top; r < std::min(top + tile, rows); ++r) {
          for (std::size_t c = left; c < std::min(left + tile, columns); ++c) {
            write[r * shape.n + c] = read[c * rows + r];
          }
        }
      }
    }
  });
  return {block.round + 1};
}

Round either(Round one, Round) { return one; }

Graph one_round(Strips const& strips) {
  return ovlp::everywhere("cut", strips, cut) >> ovlp::leaf("place", strips.by(&Block::to), place) >>
         ovlp::reduce("placed", strips.at_opener(), either) >> ovlp::reduce("ended", strips.at(0), either);
}

Graph all_rounds(Strips const& strips, int rounds) {
  Graph g("hadamard");
  auto repeat = g.repeat("rounds", strips, one_round(strips), static_cast<std::size_t>(rounds));
  g.enter(repeat, ovlp::at(0));
  g.leave(repeat);
  return g;
}

Round fill(Here& here, Round round) {
  Shape const shape = here.state.shape;
  here.kernel("hadamard.fill", {shape.rows(here.index()), shape.n}, [&] {
    double* write = here.state.after(0).mutate().data();
    for (std::size_t r = 0; r < shape.rows(here.index()); ++r) {
      for (std::size_t c = 0; c < shape.n; ++c) *write++ = initial(shape.first(here.index()) + r, c);
    }
  });
  return round;
}
Graph filling(Strips const& strips) {
  return ovlp::everywhere("fill", strips, fill) >> ovlp::reduce("ended", strips.at(0), either);
}

std::uint64_t sum_strip(Here& here, Round round) {
  Shape const shape = here.state.shape;
  std::uint64_t sum = 0;
  here.kernel("hadamard.checksum", {shape.rows(here.index()), shape.n}, [&] {
    sum = checksum(here.state.after(round.number).data(), shape.rows(here.index()), shape.first(here.index()), shape.n);
  });
  return sum;
}
ovlp::graph<Round, std::uint64_t> summing(Strips const& strips) {
  return ovlp::everywhere("sum", strips, sum_strip) >> ovlp::reduce("add up", strips.at(0), std::plus<>{});
}

/// The checksum without ovlp.
std::uint64_t serially(std::size_t n, int rounds) {
  std::vector<double> now(n * n), next(n * n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) now[r * n + c] = initial(r, c);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t r = 0; r < n; ++r) transform(now.data() + r * n, n, round);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) next[c * n + r] = now[r * n + c];
    }
    std::swap(now, next);
  }
  return checksum(now.data(), n, 0, n);
}

int main(int argc, char** argv) try {
  std::size_t n = 1024, strips = 0;
  int rounds = 4;
  bool verify = false;
  ovlp::options options{"hadamard", "Two-dimensional Walsh-Hadamard transform by transposition: all nodes send to all"};
  options.add("--n", n, "order of the matrix, a power of 2").at_least(2).at_most(32768);
  options.add("--rounds", rounds, "transforms of all rows, each followed by a transposition").at_least(1);
  options.add("--strips", strips, "strips of rows; 0: one for each node");
  options.add("--verify", verify, "compare with a serial computation, bit by bit");
  ovlp::engine run{argc, argv, options};
  if (!std::has_single_bit(n)) throw ovlp::config_error("--n: expected a power of 2, got " + std::to_string(n));
  if (strips == 0) strips = std::min(n, run.nodes());
  if (strips > n) throw ovlp::config_error("--strips: expected at most one for each row");
  if (verify && !run.computes()) {
    throw ovlp::config_error("--verify: expected --execution direct: other modes do not compute");
  }

  Shape const shape{n, strips};
  Strips const matrix("strips", ovlp::mapping::in_turn(strips, run.nodes()), [shape](std::size_t i) {
    std::size_t const elements = shape.rows(i) * shape.n;
    return Strip{shape, {Elements::uninitialized(elements), Elements::uninitialized(elements)}};
  });
  Graph const fill_all = filling(matrix);
  Graph const transform_all = all_rounds(matrix, rounds);
  ovlp::graph const sum_all = summing(matrix);
  run.add(transform_all);
  run.add(sum_all);
  run.record();
  for (auto const* aside : {"hadamard.fill", "hadamard.checksum"})
    run.estimate(aside, 0.0);  // not part of what is predicted
  run(fill_all, {});
  Round const after = run(transform_all, {});
  ovlp::summary figures = run.summary();
  std::uint64_t const sum = run(sum_all, after);

  std::printf("%zu x %zu, %zu strips: %d rounds in %.3f s", n, n, strips, after.number, figures.time_s);
  if (run.computes()) std::printf(", checksum %016" PRIx64, sum);
  std::printf("\n");
  figures.set("n", n);
  figures.set("strips", strips);
  figures.set("rounds", rounds);
  if (run.computes()) {
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, sum);
    figures.result("checksum", std::string(text));
  }
  run.write(figures);
  if (!verify) return 0;

  bool const equal = serially(n, rounds) == sum;
  std::printf("%s the serial computation\n", equal ? "verified: equal to" : "WRONG: differs from");
  return equal ? 0 : 1;
} catch (ovlp::config_error const& error) {
  std::fprintf(stderr, "hadamard: %s\n", error.what());
  return 2;
} catch (ovlp::error const& error) {
  std::fprintf(stderr, "hadamard: %s\n", error.what());
  return 1;
}
