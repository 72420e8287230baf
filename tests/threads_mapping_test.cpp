// SPDX-License-Identifier: BSD-3-Clause
// Matrices of communication, their files, and mappings of threads that follow from them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/threads/communication_file.hpp>
#include <ovlp/threads/mapping.hpp>
#include <ovlp/threads/partition.hpp>

namespace {

using namespace ovlp::shared_memory;
using doctest::Approx;
using ovlp::base::temporary_folder;

communication_matrix matrix(std::vector<std::vector<double>> const& rows) {
  communication_matrix made(rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = a + 1; b < rows.size(); ++b) made.add(a, b, rows[a][b]);
  return made;
}

std::string fault(auto const& of) {
  try {
    of();
  } catch (ovlp::config_error const& wrong) {
    std::string const text = wrong.what();
    std::size_t const name = text.find("matrix.csv");
    return name == std::string::npos ? text : text.substr(name);
  }
  return "";
}
std::string fault_of_file(std::string const& contents) {
  temporary_folder const folder;
  std::string const file = folder.path() / "matrix.csv";
  ovlp::base::write_file(file, contents);
  return fault([&] { read_matrix(file); });
}
communication_matrix read(std::string const& contents,
                          ovlp::shared_memory::row_order order = ovlp::shared_memory::row_order::unknown) {
  temporary_folder const folder;
  std::string const file = folder.path() / "matrix.csv";
  ovlp::base::write_file(file, contents);
  return read_matrix(file, order);
}
bool same(communication_matrix const& a, communication_matrix const& b) {
  if (a.threads() != b.threads()) return false;
  for (std::size_t i = 0; i < a.threads(); ++i)
    for (std::size_t j = 0; j < a.threads(); ++j)
      if (a(i, j) != b(i, j)) return false;
  return true;
}

TEST_CASE("the error of two matrices is that of equation 1, and at most (N^2 - N) / N^2 * 10^4") {
  communication_matrix const a = matrix({{0, 10, 5}, {10, 0, 0}, {5, 0, 0}});
  CHECK(mean_squared_error(a, a) == 0);
  // Normalized: 100, 50, 0 and 50, 100, 0; each pair stands twice.
  communication_matrix const b = matrix({{0, 1, 2}, {1, 0, 0}, {2, 0, 0}});
  CHECK(mean_squared_error(a, b) == Approx(2 * (50.0 * 50 + 50 * 50) / 9));
  communication_matrix one(4), others(4);
  one.add(0, 1, 3);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j)
      if (i + j != 1) others.add(i, j, 8);
  CHECK(mean_squared_error(one, others) == Approx((16.0 - 4) / 16 * 1e4));
  CHECK(mean_squared_error(communication_matrix(4), communication_matrix(4)) == 0);
  CHECK(fault([&] { (void)mean_squared_error(a, one); }) == "expected matrices of equally many threads, got 3 and 4");
}

TEST_CASE("a matrix is read from a table, also of numalize, and written as either") {
  communication_matrix const m = matrix({{0, 7, 1.5}, {7, 0, 0}, {1.5, 0, 0}});
  CHECK(csv_of(m) == "0,7,1.5\n7,0,0\n1.5,0,0\n");
  CHECK(numalize_csv_of(m) == "1.5,0,0\n7,0,0\n0,7,1.5\n\n");
  CHECK(same(read(csv_of(m)), m));
  CHECK(same(read(numalize_csv_of(m)), m));
  CHECK(same(read("0, 7 ,1.5\r\n7,0,0\r\n\r\n1.5,0,0\r\n"), m));
}

TEST_CASE("a table that is symmetric both ways is read as it is said to be, or not at all") {
  using ovlp::shared_memory::row_order;
  for (std::size_t const side : {2U, 4U, 8U}) {  // neighbours on a grid communicate
    communication_matrix grid(side * side);
    for (std::size_t a = 0; a < side * side; ++a) {
      if (a % side + 1 < side) grid.add(a, a + 1, 100);
      if (a + side < side * side) grid.add(a, a + side, 100);
    }
    CAPTURE(side);
    CHECK(same(read(csv_of(grid), row_order::first), grid));
    CHECK(same(read(numalize_csv_of(grid), row_order::last), grid));
    if (side == 2) continue;  // a ring, the same both ways
    for (std::string const& table : {csv_of(grid), numalize_csv_of(grid)})
      CHECK(fault_of_file(table) ==
            "matrix.csv: expected --row-order first or last: its first row may be that of the first thread, or, as "
            "numalize writes it, of the last one; the matrix is symmetric both ways");
  }
  communication_matrix const two = matrix({{0, 7}, {7, 0}}), even = matrix({{0, 2, 2}, {2, 0, 2}, {2, 2, 0}});
  CHECK(same(read(csv_of(two)), two));
  CHECK(same(read("0,2\n2,0\n"), matrix({{0, 2}, {2, 0}})));
  CHECK(same(read(csv_of(even)), even));
}

TEST_CASE("a table that is no matrix of communication is refused") {
  CHECK(fault_of_file("") == "matrix.csv: expected a square matrix of two threads or more, got 0 rows");
  CHECK(fault_of_file("0,1,2\n1,0,3\n") ==
        "matrix.csv: expected a square matrix of two threads or more, got 2 rows of 3 numbers");
  CHECK(fault_of_file("0,1\n1,0,3\n") == "matrix.csv:2: expected 2 numbers, as in the first row, got 3");
  CHECK(fault_of_file("0,1,2\n1,0,3\n2,4,0\n") ==
        "matrix.csv: expected a symmetric matrix: what two threads communicate is one number");
  CHECK(fault_of_file("0,1\n2,0\n") ==
        "matrix.csv: expected a symmetric matrix: what two threads communicate is one number");
  for (std::string const bad : {"-1", "nan", "inf", "x", "", "1e999", "1e308", "5e-324"}) {
    CHECK(fault_of_file("0," + bad + "\n1,0\n") ==
          "matrix.csv:1: expected numbers, 0 or 1e-100 to 1e100, with commas between, got '" + bad + "'");
  }
}

communication measured() {
  communication made{"program", definition::accurate, 64, nehalem, {}};
  for (double const factor : {1.0, 2.0}) {
    communication_phase phase{"phase", factor - 1, factor, {}, {10 * factor, 0, 5}, {3, -2, 0}, {7, 5, 3, 2, factor}};
    for (std::size_t k = 0; k < kinds; ++k) {
      phase.of_kind.emplace_back(3);
      phase.of_kind[k].add(0, 1 + k % 2, factor * static_cast<double>(k + 1));
    }
    made.phases.push_back(phase);
  }
  return made;
}

TEST_CASE("what was traced comes back from its file, and its phases add up") {
  temporary_folder const folder;
  std::string const file = folder.path() / "run.json";
  communication const original = measured();
  ovlp::base::write_file(file, json_of(original));
  communication const again = read_communication(file);
  CHECK(json_of(again) == json_of(original));
  communication_phase const whole = again.whole();
  CHECK(whole.begin_s == 0);
  CHECK(whole.end_s == 2);
  CHECK(whole.accesses == std::vector<double>{30, 0, 10});
  CHECK(whole.found == std::array<double, line_sources>{14, 10, 6, 4, 3});
  CHECK(whole.of_kind[0](1, 0) == 3);
  CHECK(whole.of_kind[1](2, 0) == 6);
  CHECK(whole.of_kind[2](1, 0) == 9);
  // What is temporally false does not count.
  CHECK(same(read_matrix(file), matrix({{0, 3, 6}, {3, 0, 0}, {6, 0, 0}})));
}

TEST_CASE("a file of a trace that was changed is refused by key") {
  auto const refused = [](std::string const& what, std::string const& instead, std::string const& why) {
    std::string text = json_of(measured());
    std::size_t const at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), instead);
    std::string const said = fault_of_file(text);
    CAPTURE(said);
    CHECK(said.find(why) != std::string::npos);
  };
  refused("\"ovlp communication 1\"", "\"other\"", "format: expected \"ovlp communication 1\"");
  refused("\"accurate\"", "\"strange\"", "definition: expected \"relaxed\" or \"accurate\"");
  refused("\"threads\": 3", "\"threads\": 2", "a number for each of 2 threads");
  refused("\"threads\": 3", "\"threads\": 99999", "threads: expected at most 4096");
  refused("\"ways\": 8", "\"ways\": 7", "caches: level 1: expected a size of so many ways");
  refused("\"private_accesses\"", "\"private\"", "private");
  refused("\"phases\"", "\"phrases\"", "phases");
}

// Mapping

std::size_t leaves(topology const& of) { return of.units.size(); }

/// By the words of map_threads(), without care for time: groups are lists of threads.
placement naive_map(communication_matrix const& m, topology const& onto) {
  using group = std::vector<std::size_t>;  // threads
  auto const between = [&](group const& a, group const& b) {
    double sum = 0;
    for (std::size_t const x : a)
      for (std::size_t const y : b) sum += m(x, y);
    return sum;
  };
  struct node {
    group threads;
    std::vector<node> children;
  };
  std::vector<node> things;
  for (std::size_t t = 0; t < m.threads(); ++t) things.push_back({{t}, {}});
  std::vector<std::size_t> counts{leaves(onto)};
  for (auto l = onto.levels.rbegin(); l != onto.levels.rend(); ++l) counts.push_back(counts.back() / l->children);
  for (std::size_t count : counts) {
    count = std::min(count, things.size());
    std::size_t const small = things.size() / count, larger = things.size() % count;
    std::vector<node> left = std::move(things);
    things.clear();
    for (std::size_t g = 0; g < count; ++g) {
      node made;
      for (std::size_t i = 0; i < small + (g < larger ? 1 : 0); ++i) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < left.size(); ++c)
          if (between(left[c].threads, made.threads) > between(left[best].threads, made.threads)) best = c;
        made.threads.insert(made.threads.end(), left[best].threads.begin(), left[best].threads.end());
        made.children.push_back(left[best]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      }
      things.push_back(made);
    }
  }
  placement where(m.threads());
  auto const place = [&](auto const& self, node const& at, std::size_t first, std::size_t under,
                         std::size_t level) -> void {
    if (level == onto.levels.size()) {
      for (std::size_t const t : at.threads) where[t] = first;
      return;
    }
    std::size_t const each = under / onto.levels[level].children;
    for (std::size_t i = 0; i < at.children.size(); ++i) self(self, at.children[i], first + i * each, each, level + 1);
  };
  place(place, things.front(), 0, leaves(onto), 0);
  return where;
}

TEST_CASE("mappings of random matrices onto random hierarchies are those of a naive grouping") {
  std::uint32_t const seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::size_t more_threads = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string levels;
    std::size_t const count = 2 + random() % 4;
    for (std::size_t l = 0; l < count; ++l) levels += " l:" + std::to_string(1 + random() % (count > 3 ? 2 : 4));
    topology const onto = topology::find(levels);
    std::size_t const threads = 1 + random() % (2 * leaves(onto) + 4);
    communication_matrix m(threads);
    for (std::size_t a = 0; a < threads; ++a)
      for (std::size_t b = a + 1; b < threads; ++b)
        if (random() % 3 != 0) m.add(a, b, static_cast<double>(random() % 100));  // whole: sums are exact
    CAPTURE(levels);
    CAPTURE(threads);
    REQUIRE(map_threads(m, onto) == naive_map(m, onto));
    if (threads > leaves(onto)) ++more_threads;
  }
  CHECK(more_threads > 100);
}

TEST_CASE("threads that communicate share the lowest level, and no leaf gets more than it must") {
  topology const onto = topology::find("package:2 core:2 PU:2");
  communication_matrix m(8);
  for (std::size_t t = 0; t < 4; ++t) m.add(t, 7 - t, 10);  // pairs 0 7, 1 6, ...
  m.add(0, 1, 5);
  m.add(2, 3, 5);
  placement const where = map_threads(m, onto);
  for (std::size_t t = 0; t < 4; ++t) CHECK(onto.distance(where[t], where[7 - t]) == 1);
  CHECK(onto.distance(where[0], where[1]) == 2);
  CHECK(onto.distance(where[0], where[2]) == 3);
  CHECK(mean_distance(m, onto, where) == Approx((40 * 1 + 10 * 2) / 50.0));
  CHECK(mean_distance(m, onto, in_order(8, onto)) > 2);
  CHECK(mean_distance(communication_matrix(8), onto, where) == 0);

  // Two threads get as far apart as they can, twenty at most three a leaf.
  placement const two = map_threads(matrix({{0, 1}, {1, 0}}), onto);
  CHECK(onto.distance(two[0], two[1]) == 3);
  std::vector<int> on(8);
  for (std::size_t const leaf : map_threads(communication_matrix(20), onto)) ++on[leaf];
  CHECK(*std::ranges::max_element(on) == 3);
  CHECK(*std::ranges::min_element(on) == 2);
}

TEST_CASE("a partition gets fewer bytes between nodes, and no node more work than it may have") {
  std::uint32_t const seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::size_t best = 0, rounds = 60;
  for (std::size_t round = 0; round < rounds; ++round) {
    partition_problem problem{communication_matrix(6), {}, 2};
    for (std::size_t a = 0; a < 6; ++a) {
      problem.work.push_back(static_cast<double>(1 + random() % 3));
      for (std::size_t b = 0; b < a; ++b) problem.bytes.add(a, b, static_cast<double>(random() % 10));
    }
    partition start;
    for (std::size_t t = 0; t < 6; ++t) start.push_back(t % 2);
    double const limit = most_work(problem, start);
    partition const found = improved(problem, start, limit), other = improved(problem, grown(problem, limit), limit);
    CHECK(bytes_between_nodes(problem, found) <= bytes_between_nodes(problem, start));
    CHECK(most_work(problem, found) <= limit);
    // Of all 64 partitions within the limit the one with the fewest bytes, mostly.
    double fewest = bytes_between_nodes(problem, start);
    for (std::size_t bits = 0; bits < 64; ++bits) {
      partition one;
      for (std::size_t t = 0; t < 6; ++t) one.push_back((bits >> t) & 1);
      if (most_work(problem, one) <= limit) fewest = std::min(fewest, bytes_between_nodes(problem, one));
    }
    CHECK(bytes_between_nodes(problem, found) >= fewest);
    bool const other_may = most_work(problem, other) <= limit;
    double const least =
        std::min(bytes_between_nodes(problem, found), other_may ? bytes_between_nodes(problem, other) : 1e300);
    if (least == fewest) ++best;
  }
  CHECK(best > rounds / 2);
}

TEST_CASE("a topology is read from levels or a file, and this machine's is there") {
  temporary_folder const folder;
  std::string const file = folder.path() / "topology.json";
  ovlp::base::write_file(file, R"({"levels": [{"name": "core", "children": 2}, {"name": "PU", "children": 2}],
                                     "units": [0, 2, 1, 3]})");
  topology const onto = topology::find(file);
  CHECK(text_of(onto) == "core:2 PU:2");
  CHECK(onto.units == std::vector<std::size_t>{0, 2, 1, 3});
  CHECK(mapping_of({0, 1, 3}, onto).omp_places() == "{0},{2},{3}");
  CHECK(onto.distance(0, 1) == 1);
  CHECK(onto.distance(1, 2) == 2);
  CHECK_FALSE(topology::find("machine").units.empty());

  CHECK(fault([] { topology::find("core:x"); }) ==
        "topology: expected levels as 'package:2 core:8 PU:2', or a file, got 'core:x'");
  CHECK(fault([] { topology::find("core:0 PU:2"); }).find("got 'core:0'") != std::string::npos);
  for (std::string const huge : {"a:1000000 b:1000000", "a:3 b:6148914691236517206"})
    CHECK(fault([&] { topology::find(huge); }).find("expected levels of 1 to") != std::string::npos);
  for (std::string const nothing : {"", "core 4"})
    CHECK(fault([&] { topology::find(nothing); }) ==
          "topology: expected 'machine', levels as 'package:2 core:8 PU:2', or a file, got '" + nothing + "'");
  ovlp::base::write_file(file, R"({"levels": [{"name": "core", "children": 2}], "units": [0, 0]})");
  CHECK(fault([&] { topology::find(file); }).find("expected 2 different units") != std::string::npos);
}

TEST_CASE("a mapping comes back from its file") {
  temporary_folder const folder;
  std::string const file = folder.path() / "mapping.json";
  ovlp::base::write_file(file, json_of(thread_mapping{{3, 1, 2}}));
  CHECK(read_mapping(file).units == std::vector<std::size_t>{3, 1, 2});
  ovlp::base::write_file(file, R"({"format": "ovlp thread mapping 1", "units": [0.5]})");
  CHECK(fault([&] { read_mapping(file); }).find("units: expected whole numbers") != std::string::npos);
}

}  // namespace
