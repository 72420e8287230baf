// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <vector>

#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>

#include "fastest.hpp"
#include "run_table.hpp"
#include "simulator.hpp"
#include "sweep_plan.hpp"

namespace ovlp::lab::study {
namespace {

/// Numbers of the runs that are not there, from 1.
std::vector<std::size_t> missing(sweep_plan const& plan, run_table const& table) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 1; number <= plan.runs.size(); ++number) {
    if (!table.has(number)) numbers.push_back(number);
  }
  return numbers;
}

void store(run_table& table, std::size_t number, option_values const& options, simulated const& ran) {
  if (!ran.failure.empty()) {
    table.add_failure(number, options, ran.failure);
    return;
  }
  nlohmann::ordered_json summary = ran.summary;
  nlohmann::ordered_json const host = summary["host"];
  summary.erase("host");
  table.add(number, options, summary, host);
}

}  // namespace

sweep_result sweep(sweep_options const& options) {
  sweep_plan const plan = sweep_plan::read(options.plan);
  expect_program(plan.program, plan.file + ": program");
  expect_choice(plan, options.choose);
  run_table table(options.output, plan);
  try {
    std::vector<std::size_t> const numbers = missing(plan, table);
    base::progress progress("ovlp sweep", plan.runs.size(), "runs", table.count());
    auto const options_of = [&](std::size_t i) -> option_values const& { return plan.runs[numbers[i] - 1]; };
    simulator(options.jobs, plan.time_limit)
        .run_all(
            numbers.size(), [&](std::size_t i, std::string const&) { return plan.command_of(options_of(i)); },
            [&](std::size_t i, simulated const& ran) {
              store(table, numbers[i], options_of(i), ran);
              progress.advance();
            });
  } catch (base::interrupted const&) {
    throw base::interrupted{"'" + options.output + "' with " + std::to_string(table.count()) + " of " +
                            std::to_string(plan.runs.size()) + " runs"};
  }
  bool const any = table.failed() < table.count() && !options.choose.empty();
  return {table.count(), table.failed(), table.first_failure(), any ? fastest_text(table, plan, options.choose) : ""};
}

}  // namespace ovlp::lab::study
