// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <bit>
#include <stdexcept>
#include <vector>

#include "../bench/metg/contestant.hpp"

using namespace bench::metg;

namespace {

inputs from(grid const& g, std::uint32_t step, std::uint32_t column) {
  inputs in;
  for_each(g.dependencies(step, column), [&](std::uint32_t c) { in.take({step - 1, c, 1}); });
  return in;
}

}  // namespace

TEST_CASE("the first step of a grid depends on nothing, the last one is needed by nobody") {
  for (pattern p : {pattern::stencil, pattern::all_to_all, pattern::fft}) {
    grid const g{p, 8, 5, 0};
    for (std::uint32_t c = 0; c < g.width; ++c) {
      CHECK(g.dependencies(0, c) == 0);
      CHECK(g.dependents(4, c) == 0);
    }
  }
}

TEST_CASE("a stencil depends on neighbours, an all-to-all on all, a butterfly on a column that changes by step") {
  CHECK(grid{pattern::stencil, 8, 5, 0}.dependencies(1, 0) == 0b0000'0011);
  CHECK(grid{pattern::stencil, 8, 5, 0}.dependencies(1, 3) == 0b0001'1100);
  CHECK(grid{pattern::stencil, 8, 5, 0}.dependencies(1, 7) == 0b1100'0000);
  CHECK(grid{pattern::all_to_all, 8, 5, 0}.dependencies(1, 3) == 0b1111'1111);
  CHECK(grid{pattern::fft, 8, 5, 0}.dependencies(1, 3) == 0b0000'1100);
  CHECK(grid{pattern::fft, 8, 5, 0}.dependencies(2, 3) == 0b0000'1010);
  CHECK(grid{pattern::fft, 8, 5, 0}.dependencies(3, 3) == 0b1000'1000);
  CHECK(grid{pattern::fft, 8, 5, 0}.dependencies(4, 3) == 0b0000'1100);
  CHECK(grid{pattern::all_to_all, 64, 5, 0}.dependencies(1, 63) == ~column_set{0});
}

TEST_CASE("who takes an output is who depends on it") {
  for (pattern p : {pattern::stencil, pattern::all_to_all, pattern::fft}) {
    grid const g{p, 16, 9, 0};
    for (std::uint32_t step = 0; step + 1 < g.steps; ++step) {
      for (std::uint32_t c = 0; c < g.width; ++c) {
        for_each(g.dependents(step, c),
                 [&](std::uint32_t other) { CHECK((g.dependencies(step + 1, other) & set_of(c)) != 0); });
      }
    }
  }
}

TEST_CASE("a task refuses inputs that are not those of the pattern") {
  grid const g{pattern::stencil, 8, 5, 0};
  CHECK(g.compute(2, 3, from(g, 2, 3)).step == 2);
  CHECK_THROWS_AS(g.compute(2, 3, inputs{}), std::runtime_error);
  CHECK_THROWS_AS(g.compute(2, 3, from(g, 2, 4)), std::runtime_error);
  CHECK_THROWS_AS(g.compute(2, 3, from(g, 3, 3)), std::runtime_error);
  inputs in = from(g, 2, 3);
  CHECK_THROWS_AS(in.take({1, 3, 1}), std::runtime_error);
  CHECK_THROWS_AS(in.take({2, 5, 1}), std::runtime_error);
  CHECK_THROWS_AS(in.take({1, 64, 1}), std::runtime_error);
}

TEST_CASE("the result of a grid depends on its pattern, width and steps") {
  grid const g{pattern::stencil, 8, 5, 0};
  CHECK(g.reference() == grid{pattern::stencil, 8, 5, 7}.reference());
  CHECK(g.reference() != grid{pattern::fft, 8, 5, 0}.reference());
  CHECK(g.reference() != grid{pattern::all_to_all, 8, 5, 0}.reference());
  CHECK(g.reference() != grid{pattern::stencil, 4, 5, 0}.reference());
  CHECK(g.reference() != grid{pattern::stencil, 8, 4, 0}.reference());
}

TEST_CASE("METG lies between the last inefficient size of kernel and the first that stays efficient") {
  auto const of = [](double kernel_us, double cost_us) {
    double const granularity_us = kernel_us + cost_us;
    return sample{1, 1e-6 * kernel_us, 1e-6 * granularity_us, kernel_us / granularity_us};
  };
  CHECK(metg_seconds({of(1, 2), of(3, 2)}) == doctest::Approx(4e-6).epsilon(0.05));
  CHECK(metg_seconds({of(1, 2), of(2, 2), of(3, 2)}) == doctest::Approx(4e-6));
  CHECK(metg_seconds({of(3, 2), of(4, 2)}) == doctest::Approx(5e-6));  // efficient from the smallest on
}

TEST_CASE("a grid of METG is refused when it is none") {
  CHECK_NOTHROW(request{"fft", 8}.grid());
  CHECK_THROWS_AS(request{"tree"}.grid(), std::runtime_error);
  CHECK_THROWS_AS((request{"fft", 6}.grid()), std::runtime_error);
  CHECK_THROWS_AS((request{"stencil", 65}.grid()), std::runtime_error);
}
