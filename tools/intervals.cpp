// SPDX-License-Identifier: BSD-3-Clause
// ovlp intervals
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>

#include "options.hpp"
#include "parts.hpp"
#include "subcommands.hpp"
#include "validate/measured_errors.hpp"

namespace ovlp::tools {

void add_intervals(CLI::App& ovlp) {
  struct options {
    std::vector<std::string> folders;
    std::string output;
  };
  auto const given = std::make_shared<options>();
  CLI::App& intervals = add_part(ovlp, "intervals");
  add_required(intervals, "folders", given->folders, "FOLDER...", "results of ovlp validate, with errors.csv");
  add_option(intervals, "-o,--output", given->output, "FILE", "within what nine of ten are, by kind (JSON)");
  intervals.footer(
      "Example:\n"
      "  ovlp intervals lab/results/paper lab/results/second -o lab/results/errors.json\n"
      "Method: docs/lab/validation.md");
  intervals.callback([given] {
    std::set<std::string> folders;
    for (std::string const& folder : given->folders)
      if (!folders.insert(std::filesystem::weakly_canonical(folder)).second)
        throw config_error("intervals: expected each folder once, got '" + folder + "' again");
    auto const all = lab::validate::read_errors(given->folders);
    std::string const table = lab::validate::held_out_table(all);
    if (table.empty())
      throw config_error("intervals: expected 19 comparisons at least of a kind, got " + std::to_string(all.size()));
    base::write_output("-", table);
    if (!given->output.empty())
      base::write_output(given->output, base::json_text(lab::validate::known_errors(all)) + "\n");
  });
}

}  // namespace ovlp::tools
