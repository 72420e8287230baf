// SPDX-License-Identifier: BSD-3-Clause
#include "../examples/heat/stencil.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace {

/// Inner rows `first` + 1 .. `first` + `rows` of a plate, between the rows next to them.
Rows filled(std::size_t first, std::size_t rows, std::size_t columns) {
  Rows made(rows + 2, Row(columns + 2));
  fill(made, first);
  return made;
}

bool equal(Row const& a, Row const& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

}  // namespace

TEST_CASE("a sweep sets each cell to the mean of its four neighbours") {
  Rows const from = filled(0, 1, 2);  // 100 100 100 100 / 50 0 0 0 / 33.3 0 0 0
  Rows to = from;
  CHECK(sweep(from, to) == 37.5);  // the largest change
  CHECK(to[1][1] == 37.5);         // (100 + 0 + 50 + 0) / 4
  CHECK(to[1][2] == 25.0);         // (100 + 0 + 0 + 0) / 4
}

TEST_CASE("a sweep reads the first and the last row and the edges of the others, and writes to none of them") {
  Rows const from = filled(3, 4, 5);
  Rows to = from;
  sweep(from, to);
  CHECK(to.front().same_storage(from.front()));
  CHECK(to.back().same_storage(from.back()));
  for (std::size_t i = 1; i <= 4; ++i) {
    CHECK(to[i][0] == from[i][0]);
    CHECK(to[i][6] == 0);
  }
  CHECK(equal(from[2], filled(3, 4, 5)[2]));
}

TEST_CASE("strips that exchange their borders give the whole plate's cells, bit by bit") {
  std::size_t const columns = 13;
  Rows plate = filled(0, 7, columns), plate_next = plate;
  Rows upper = filled(0, 3, columns), upper_next = upper;
  Rows lower = filled(3, 4, columns), lower_next = lower;
  for (int sweeps = 0; sweeps < 50; ++sweeps) {
    upper.back() = lower[1];
    lower.front() = upper[3];
    double const change = sweep(plate, plate_next);
    double const upper_change = sweep(upper, upper_next), lower_change = sweep(lower, lower_next);
    CHECK(change == std::max(upper_change, lower_change));
    plate.swap(plate_next);
    upper.swap(upper_next);
    lower.swap(lower_next);
    for (std::size_t i = 1; i <= 7; ++i) CHECK(equal(plate[i], i <= 3 ? upper[i] : lower[i - 3]));
    CHECK(checksum(plate, 0) == checksum(upper, 0) + checksum(lower, 3));
  }
}

TEST_CASE("the checksum changes with the last bit of a cell and with the place of a row") {
  Rows rows = filled(0, 3, 4);
  std::uint64_t const before = checksum(rows, 0);
  CHECK(checksum(rows, 1) != before);
  double& cell = rows[2].mutate()[3];
  cell = std::nextafter(cell, std::numeric_limits<double>::infinity());
  CHECK(checksum(rows, 0) != before);
}

TEST_CASE("sweeps converge to the field that is the mean of its neighbours everywhere") {
  Rows rows = filled(0, 6, 6), next = rows;
  for (int i = 0; i < 500; ++i) {
    sweep(rows, next);
    rows.swap(next);
  }
  CHECK(sweep(rows, next) < 1e-12);
  CHECK(rows[3][3] > 0);
  CHECK(rows[3][3] < 100);
}
