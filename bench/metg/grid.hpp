// SPDX-License-Identifier: BSD-3-Clause
/// The job of all METG contestants: a grid of steps x columns of tasks. A task takes the outputs of some tasks of the
/// step before, checks that they are the right ones, computes for a while, and has an output of 16 bytes. Source:
/// Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC 2020.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::metg {

enum class pattern : std::uint8_t { stencil, all_to_all, fft };

/// Bit c stands for column c.
using column_set = std::uint64_t;
constexpr std::uint32_t most_columns = 64;

constexpr column_set set_of(std::uint32_t column) { return column_set{1} << column; }

/// Calls function(column) for each column of the set.
template <class Function>
void for_each(column_set set, const Function& function) {
  for (; set != 0; set &= set - 1) function(static_cast<std::uint32_t>(std::countr_zero(set)));
}

/// What travels between tasks.
struct output {
  std::uint32_t step, column;  ///< of the task that made it
  std::uint64_t value;         ///< depends on all tasks before
};

/// What has come for one task.
struct inputs {
  column_set columns = 0;
  std::uint32_t step = 0;  ///< of those who sent
  std::uint64_t sum = 0;   ///< of the values, so that their order does not matter

  /// Errors: std::runtime_error for an output of another step, or one that is here already.
  void take(const output& from) {
    if (from.column >= most_columns || (columns & set_of(from.column)) != 0 || (columns != 0 && from.step != step))
      throw std::runtime_error("metg: unexpected input from step " + std::to_string(from.step) + ", column " +
                               std::to_string(from.column));
    columns |= set_of(from.column);
    step = from.step;
    sum += from.value;
  }
};

/// Computes, and nothing else: each multiplication waits for the addition before, so the time is the same whatever
/// runs beside it on the core. Not inlined: it is calibrated as the code that tasks run.
[[gnu::noinline]] inline void kernel(std::uint64_t iterations) {
  double x = 1;
  for (std::uint64_t i = 0; i < iterations; ++i) x = x * 0.5 + 0.25;
  asm volatile("" : : "m"(x));
}

struct grid {
  metg::pattern pattern = pattern::stencil;
  std::uint32_t width = 0;  ///< columns; a power of two for fft
  std::uint32_t steps = 0;
  std::uint64_t iterations = 0;  ///< of the kernel, in each task

  column_set all() const { return width == most_columns ? ~column_set{0} : set_of(width) - 1; }
  std::uint32_t stages() const { return width > 1 ? static_cast<std::uint32_t>(std::bit_width(width - 1)) : 1; }

  /// The columns whose outputs of the step before the task takes.
  column_set dependencies(std::uint32_t step, std::uint32_t column) const {
    if (step == 0) return 0;
    const column_set self = set_of(column);
    switch (pattern) {
      case pattern::stencil: return (self << 1 | self | self >> 1) & all();
      case pattern::all_to_all: return all();
      case pattern::fft: return self | (width > 1 ? set_of(column ^ 1U << (step - 1) % stages()) : 0);
    }
    return 0;
  }
  /// The columns whose tasks of the next step take this one's output: all three patterns are symmetric.
  column_set dependents(std::uint32_t step, std::uint32_t column) const {
    return step + 1 < steps ? dependencies(step + 1, column) : 0;
  }
  /// For so many steps, from the one that a column waits for, others may have sent outputs to it: who is further ahead
  /// needs the column's own ones.
  std::uint32_t steps_open() const { return (pattern == pattern::fft ? stages() : 1) + 1; }

  /// The task. Errors: std::runtime_error unless the inputs are those that the pattern says.
  output compute(std::uint32_t step, std::uint32_t column, const inputs& in) const {
    if (in.columns != dependencies(step, column) || (in.columns != 0 && in.step + 1 != step))
      throw std::runtime_error("metg: wrong inputs in step " + std::to_string(step) + ", column " +
                               std::to_string(column));
    kernel(iterations);
    return {step, column, value(step, column, in)};
  }

  /// The sum of the last step's values, without any runtime.
  std::uint64_t reference() const {
    std::vector<std::uint64_t> now(width), next(width);
    for (std::uint32_t step = 0; step < steps; ++step, now.swap(next)) {
      for (std::uint32_t column = 0; column < width; ++column) {
        inputs in;
        for_each(dependencies(step, column), [&](std::uint32_t from) { in.take({step - 1, from, now[from]}); });
        next[column] = value(step, column, in);
      }
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t last : now) sum += last;
    return sum;
  }

 private:
  static std::uint64_t value(std::uint32_t step, std::uint32_t column, const inputs& in) {
    const std::uint64_t place = std::uint64_t{step} * most_columns + column + 1;
    return std::rotl((in.sum ^ place) * 0x9e3779b97f4a7c15U, 32) + place;
  }
};

}  // namespace bench::metg
