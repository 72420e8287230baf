// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <exception>
#include <filesystem>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/run_many.hpp>
#include <ovlp/base/text.hpp>

#include "run_table.hpp"
#include "simulated_program.hpp"
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

void store(run_table& table, std::size_t number, option_values const& options, base::outcome const& ran,
           std::string const& summary_file) {
  nlohmann::ordered_json summary;
  try {
    summary = summary_of(ran, summary_file);
  } catch (error const& failed) {
    table.add_failure(number, options, failed.what());
    return;
  }
  nlohmann::ordered_json const host = summary["host"];
  summary.erase("host");
  table.add(number, options, summary, host);
}

}  // namespace

sweep_result sweep(sweep_options const& options) {
  sweep_plan const plan = sweep_plan::read(options.plan);
  expect_program(plan.program, plan.file + ": program");
  run_table table(options.output, plan);
  try {
    std::vector<std::size_t> const numbers = missing(plan, table);
    base::temporary_folder const folder;
    base::progress progress("ovlp sweep", plan.runs.size(), "runs", table.count());
    auto const summary_file = [&](std::size_t place) {
      return (folder.path() / (std::to_string(place) + ".json")).string();
    };
    auto const options_of = [&](std::size_t i) -> option_values const& { return plan.runs[numbers[i] - 1]; };
    base::run_many(
        numbers.size(), options.jobs,
        [&](std::size_t i, std::size_t place) {
          return summarized(plan.command_of(options_of(i)), summary_file(place), plan.time_limit);
        },
        [&](std::size_t i, std::size_t place, base::outcome const& ran) {
          store(table, numbers[i], options_of(i), ran, summary_file(place));
          progress.advance();
        });
  } catch (base::interrupted const&) {
    throw base::interrupted{"'" + options.output + "' with " + std::to_string(table.count()) + " of " +
                            std::to_string(plan.runs.size()) + " runs"};
  }
  return {table.count(), table.failed(), table.first_failure()};
}

}  // namespace ovlp::lab::study
