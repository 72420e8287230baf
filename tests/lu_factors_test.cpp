// SPDX-License-Identifier: BSD-3-Clause
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../examples/lu/matrix.hpp"

namespace {

using lu::Columns;
using lu::Layout;

[[maybe_unused]] bool const as_the_application_does = (lu::use_one_blas_thread(), true);

Columns empty_share(Layout const& layout, int thread) {
  auto const size =
      static_cast<std::size_t>(layout.leading()) * static_cast<std::size_t>(layout.columns_from(0, thread));
  return {layout, thread, ovlp::buffer<double>(size),
          std::vector<ovlp::buffer<int>>(static_cast<std::size_t>(layout.blocks())), 0};
}

/// The factors by one call of LAPACK, cut into blocks and dealt out as the layout says.
std::vector<Columns> factored(Layout const& layout, std::uint64_t seed) {
  Columns whole = empty_share({layout.n, layout.n, 1}, 0);
  whole.pivots_of(0) = ovlp::buffer<int>(static_cast<std::size_t>(layout.n));
  lu::fill(whole, seed);
  lu::getrf(layout.n, layout.n, whole.at(0, 0), whole.pivots_of(0).mutate());
  std::vector<Columns> shares;
  for (int thread = 0; thread < layout.threads; ++thread) {
    Columns& share = shares.emplace_back(empty_share(layout, thread));
    for (int j = thread; j < layout.blocks(); j += layout.threads) {
      int const first = layout.first(j), width = layout.width(j);
      lu::copy(layout.n, width, {whole.at(0, 0).column(first), whole.layout.leading()}, share.at(0, j));
      share.pivots_of(j) = ovlp::buffer<int>(static_cast<std::size_t>(width));
      auto const pivots = share.pivots_of(j).mutate();
      for (int i = 0; i < width; ++i) {
        auto const row = static_cast<std::size_t>(i);
        pivots[row] = whole.pivots_of(0)[static_cast<std::size_t>(first) + row] - first;
      }
    }
  }
  return shares;
}

std::uint64_t checksum(std::vector<Columns> const& shares) {
  std::uint64_t sum = 0;
  for (Columns const& share : shares) sum += lu::checksum(share);
  return sum;
}

std::vector<Layout> layouts(int n) {
  std::vector<Layout> all;
  for (int block : {1, 7, 25, n - 1, n, n + 1}) {
    int const blocks = Layout{n, block, 1}.blocks();
    for (int threads : {1, 2, 3, blocks}) {
      if (threads <= blocks) all.push_back({n, block, threads});
    }
  }
  return all;
}

struct Outcome : ovlp::testing::shell_outcome {
  /// What stands behind the name on its line.
  std::string figure(std::string const& name) const {
    auto const at = text.find("\n" + name + " ");
    if (at == std::string::npos) return "";
    auto const begin = text.find_first_not_of(' ', at + 1 + name.size());
    return text.substr(begin, text.find('\n', begin) - begin);
  }
};

Outcome run_lu(std::string const& arguments, std::string const& path = LU_PROGRAM) {
  return {ovlp::testing::shell(path + " " + arguments)};
}

}  // namespace

TEST_CASE("elements of the matrix lie in [-0.5, 0.5) and differ by place and seed") {
  std::set<double> seen;
  for (int row = 0; row < 20; ++row) {
    for (int column = 0; column < 20; ++column) {
      for (std::uint64_t const seed : {1u, 2u}) {
        double const a = lu::element(seed, row, column);
        CHECK(a >= -0.5);
        CHECK(a < 0.5);
        seen.insert(a);
      }
    }
  }
  CHECK(seen.size() == 800);
}

TEST_CASE("the threads of a layout have each column once") {
  for (Layout const& layout : layouts(50)) {
    CAPTURE(layout.block);
    CAPTURE(layout.threads);
    for (int j = 0; j <= layout.blocks(); ++j) {
      int columns = 0;
      for (int t = 0; t < layout.threads; ++t) {
        columns += layout.columns_from(j, t);
        CHECK(layout.owner(layout.next(j, t)) == t);
      }
      CHECK(columns == (j < layout.blocks() ? layout.rest(j) : 0));
    }
  }
}

TEST_CASE("the checksum of factors does not depend on how they are distributed, the residual hardly") {
  std::uint64_t const expected = checksum(factored({50, 50, 1}, 1));
  for (Layout const& layout : layouts(50)) {
    CAPTURE(layout.block);
    CAPTURE(layout.threads);
    auto const shares = factored(layout, 1);
    CHECK(checksum(shares) == expected);
    CHECK(lu::residual(shares, 1) < 1);
    CHECK(lu::residual(shares, 1) == lu::residual(factored({50, layout.block, 1}, 1), 1));
  }
  CHECK(checksum(factored({50, 50, 1}, 2)) != expected);
}

TEST_CASE("the residual tells wrong factors from right ones") {
  auto shares = factored({50, 7, 3}, 1);
  SUBCASE("those of another matrix") { CHECK(lu::residual(shares, 2) > 10); }
  SUBCASE("one element of U or L") {
    for (auto [row, column] : {std::pair{0, 49}, {49, 0}, {30, 30}}) {
      double& element = shares[static_cast<std::size_t>(column / 7 % 3)].at(0, column / 7).column(column % 7)[row];
      double const right = element;
      element += 1e-9;
      CHECK(lu::residual(shares, 1) > 10);
      element = std::numeric_limits<double>::quiet_NaN();
      CHECK_FALSE(lu::residual(shares, 1) <= 10);
      element = right;
    }
    CHECK(lu::residual(shares, 1) < 1);
  }
  SUBCASE("one row exchange") {
    int& pivot = shares[2].pivots_of(2).mutate()[3];
    pivot = pivot == 20 ? 21 : 20;
    CHECK(lu::residual(shares, 1) > 10);
  }
}

TEST_CASE("a triangular solve undoes a triangular product, for any number of rows") {
  for (int m : {1, 2, 31, 32, 33, 64, 65, 100, 130}) {
    CAPTURE(m);
    Columns l = empty_share({130, 130, 1}, 0), x = empty_share({130, 130, 1}, 0);
    lu::fill(l, 1);
    for (int c = 0; c < 130; ++c) {  // of small norm, so that the inverse is too
      for (int r = 0; r < 130; ++r) l.at(0, 0).column(c)[r] /= 130;
    }
    lu::fill(x, 2);
    lu::trmm(m, 9, l.at(0, 0), x.at(0, 0));
    lu::trsm(m, 9, l.at(0, 0), x.at(0, 0));
    double worst = 0;
    for (int c = 0; c < 9; ++c) {
      for (int r = 0; r < 130; ++r) worst = std::max(worst, std::abs(x.at(0, 0).column(c)[r] - lu::element(2, r, c)));
    }
    CHECK(worst < 1e-14);
  }
}

TEST_CASE("every graph factors matrices of any order and block") {
  for (std::string const size : {"--n 1 --block 1", "--n 1 --block 4", "--n 9 --block 20", "--n 60 --block 59",
                                 "--n 100 --block 50", "--n 250 --block 33", "--n 200 --block 10"}) {
    for (std::string const graph : {"basic", "pipelined", "owner"}) {
      std::string const arguments = "--verify --nodes 2 --graph " + graph + " " + size;
      CAPTURE(arguments);
      Outcome const outcome = run_lu(arguments);
      CAPTURE(outcome.text);
      CHECK(outcome.status == 0);
      REQUIRE(outcome.figure("residual") != "");
      CHECK(std::stod(outcome.figure("residual")) < 1);
    }
  }
}

TEST_CASE("the paper's graphs give the same factors, to the last bit, whatever runs where and when") {
  // Each element is computed by the same kernels on the same sizes in the same order: of levels.
  std::string const expected = run_lu("--n 250 --block 33 --graph basic").figure("checksum");
  CHECK(expected.size() == 18);
  for (std::string const graph : {"basic", "pipelined"}) {
    for (std::string const how :
         {"--nodes 1 --multipliers 3", "--nodes 2", "--nodes 3 --column-nodes 2 --multipliers 7",
          "--nodes 1 --flow-control 1", "--nodes 3 --flow-control 4", "--nodes 2 --execution-threads 1"}) {
      std::string const arguments = "--n 250 --block 33 --graph " + graph + " " + how;
      CAPTURE(arguments);
      Outcome const outcome = run_lu(arguments);
      CAPTURE(outcome.text);
      CHECK(outcome.status == 0);
      CHECK(outcome.figure("checksum") == expected);
    }
  }
  CHECK(run_lu("--n 250 --block 33 --graph basic --seed 2").figure("checksum") != expected);
}

TEST_CASE("kernels that run at once in several threads compute what each computes alone") {
  int constexpr order = 33;
  Layout const layout{order, order, 1};
  Columns left = empty_share(layout, 0), right = empty_share(layout, 0);
  lu::fill(left, 1);
  lu::fill(right, 2);
  auto const product = [&] {
    std::vector<double> sum(static_cast<std::size_t>(order * layout.leading()));
    lu::gemm(order, order, order, 1, left.at(0, 0), right.at(0, 0), 0, {sum.data(), layout.leading()});
    return sum;
  };
  std::vector<double> const alone = product();
  std::atomic<int> others = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int time = 0; time < 5000; ++time) others += product() != alone;
      });
    }
  }
  CHECK(others == 0);
}

TEST_CASE("sub-blocks change factors by rounding only, and alike in all variants and both backends") {
  // A product's element is one sum either way, but BLAS may add it up in another order in blocks of another shape.
  for (std::string const sub_blocks : {"33", "10"}) {
    std::string const common = "--n 250 --block 33 --verify --sub-blocks " + sub_blocks + " ";
    std::string const expected = run_lu(common).figure("checksum");
    CHECK(expected.size() == 18);
    for (std::string const program : {LU_PROGRAM, LU_SIMULATED}) {
      for (std::string const how :
           {"--nodes 3", "--graph pipelined --nodes 2 --multipliers 5", "--graph pipelined --nodes 3 --flow-control 2",
            "--nodes 4 --remove 2@2 --column-nodes 2",
            "--graph pipelined --nodes 4 --remove 3@1 --add 3@2 --remove 3@3"}) {
        CAPTURE(program);
        CAPTURE(common + how);
        Outcome const outcome = run_lu(common + how, program);
        CAPTURE(outcome.text);
        CHECK(outcome.status == 0);
        CHECK(outcome.figure("checksum") == expected);
      }
    }
  }
}

namespace {

/// In both backends and graphs, with each of these options beside the common ones.
void check_same_factors(std::string const& common, std::vector<std::string> const& hows) {
  std::string const expected = run_lu("--n 250 --block 33").figure("checksum");
  for (std::string const program : {LU_PROGRAM, LU_SIMULATED}) {
    for (std::string const graph : {"basic", "pipelined"}) {
      for (std::string const& how : hows) {
        std::string const arguments = "--n 250 --block 33 --nodes 4 " + common + " --graph " + graph + " " + how;
        CAPTURE(program);
        CAPTURE(arguments);
        Outcome const outcome = run_lu(arguments, program);
        CAPTURE(outcome.text);
        CHECK(outcome.status == 0);
        CHECK(outcome.figure("checksum") == expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("nodes that leave and join change no factor, in both backends") {
  check_same_factors("--verify",
                     {"", "--remove 2@1", "--remove 3@2 --column-nodes 2", "--remove 1@1 --remove 1@2 --flow-control 2",
                      "--remove 3@1 --add 3@2 --remove 3@3 --add 3@4"});
}

TEST_CASE("a plan that changes every iteration changes no factor, in both backends") {
  ovlp::testing::temporary_folder const folder;
  check_same_factors("--plan " + folder.file("plan.json", R"({"program": "lu", "changes": [
    {"after": 0, "nodes": 2}, {"after": 1, "nodes": 4, "collections": {"columns": 3}}, {"after": 2, "nodes": 1},
    {"after": 3, "nodes": 3, "collections": {"multipliers": 2}}, {"after": 4, "nodes": 2}, {"after": 5, "nodes": 4},
    {"after": 6, "nodes": 3, "collections": {"columns": 1}}, {"after": 7, "nodes": 4}]})"),
                     {"", "--multipliers 9", "--sub-blocks 16 --flow-control 3", "--column-nodes 2"});
}

TEST_CASE("a plan that a factorization cannot follow is refused") {
  ovlp::testing::temporary_folder const folder;
  auto const refused = [&](std::string const& changes, std::string const& options, std::string const& why) {
    std::string const plan = folder.file("plan.json", R"({"program": "lu", "changes": [)" + changes + "]}");
    Outcome const outcome = run_lu("--n 250 --block 33 --nodes 4 " + options + " --plan " + plan, LU_SIMULATED);
    CAPTURE(outcome.text);
    CHECK(outcome.status == 2);
    CHECK(outcome.text.find(why) != std::string::npos);
  };
  refused(R"({"after": 8, "nodes": 2})", "", "after iteration 8: expected changes after iterations up to 7");
  refused(R"({"after": 1, "nodes": 5})", "", "after iteration 1: expected 1 to 4 nodes (--nodes), got 5");
  refused(R"({"after": 1, "nodes": 2})", "--graph owner", "expected graph basic or pipelined, got owner");
  refused(R"({"after": 1, "nodes": 2})", "--remove 1@1", "--plan: expected neither --remove nor --add beside it");
  refused(R"({"after": 1, "nodes": 2, "collections": {"rows": 1}})", "", "expected a collection of");
}

TEST_CASE("threads that are added bring nodes, also those beyond the first multipliers") {
  std::string const common = "--n 250 --block 33 --nodes 4 --column-nodes 1 --multipliers 1 --iterations";
  for (std::string const program : {LU_PROGRAM, LU_SIMULATED}) {
    Outcome const outcome = run_lu(common + " --add 3@1", program);
    CAPTURE(outcome.text);
    CHECK(outcome.figure("checksum") == run_lu("--n 250 --block 33").figure("checksum"));
    // Columns of the table: iteration, from, to, work, nodes
    bool four = false;
    std::istringstream lines(outcome.text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream row(line);
      double iteration = 0, from = 0, to = 0, work = 0, nodes = 0;
      if (row >> iteration >> from >> to >> work >> nodes) four = four || nodes == 4;
    }
    if (program == LU_SIMULATED) CHECK(four);  // for real the factors may be there before the nodes
  }
}

TEST_CASE("a change of the allocation that cannot be is refused") {
  for (std::string const wrong :
       {"--remove 4@1", "--remove 2@1 --remove 2@2", "--remove 1@0", "--remove 1@8", "--remove 1", "--remove x@1",
        "--remove 0@1", "--add -1@1", "--remove 1@1x", "--remove 1@1 --graph owner"}) {
    CAPTURE(wrong);
    Outcome const outcome = run_lu("--n 250 --block 33 --nodes 4 " + wrong, LU_SIMULATED);
    CAPTURE(outcome.text);
    CHECK(outcome.status == 2);
    CHECK(outcome.text.find("expected") != std::string::npos);
  }
}

TEST_CASE("the owner graph's factors depend on who owns what, and on nothing else") {
  for (std::string const owners : {"1", "2", "3", "8"}) {
    std::string const common = "--n 250 --block 33 --graph owner --owners " + owners;
    CAPTURE(common);
    std::string const expected = run_lu(common).figure("checksum");
    CHECK(expected.size() == 18);
    CHECK(run_lu(common + " --nodes 2").figure("checksum") == expected);
    CHECK(run_lu(common + " --nodes 3 --column-nodes 2").figure("checksum") == expected);
  }
}

TEST_CASE("a wrong option is answered with one line that says what was expected") {
  for (std::string const wrong : {"--n 0", "--n x", "--block -1", "--graph round", "--column-nodes 0",
                                  "--flow-control -1", "--nodes 2 --column-nodes 3", "--seed -1", "--multipliers 0",
                                  "--sub-blocks -1", "--sub-blocks 325", "--sub-blocks 9 --graph owner",
                                  "--flow-control 8 --graph owner", "--multipliers 2 --graph owner", "--owners 2"}) {
    CAPTURE(wrong);
    Outcome const outcome = run_lu(wrong);
    CAPTURE(outcome.text);
    CHECK(outcome.status == 2);
    CHECK(std::count(outcome.text.begin(), outcome.text.end(), '\n') == 1);
  }
}
