// SPDX-License-Identifier: BSD-3-Clause
#include "known_error.hpp"

#include <cmath>
#include <filesystem>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/statistics.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>

#include "simulated_run.hpp"

namespace ovlp::lab::study {
namespace {

constexpr std::string_view prefix = "testbed-", of_plain_model = "-plain";

}  // namespace

known_error known_error_of(std::vector<std::string> words, std::string const& program) {
  std::vector<std::string> const named = take_option(words, "--platform");
  known_error known;
  known.platform = named.empty() ? machine::platform::default_name() : named.back();
  if (machine::platform::is_known(known.platform)) return known;
  std::filesystem::path const file = std::filesystem::absolute(known.platform).lexically_normal();
  std::filesystem::path const errors = file.parent_path().parent_path() / "errors.csv";
  std::string testbed = file.stem().string();
  bool const is_of_validation = file.parent_path().filename() == "platforms" && testbed.starts_with(prefix);
  if (!is_of_validation || !std::filesystem::exists(errors)) return known;
  testbed = testbed.substr(prefix.size());
  bool const plain = testbed.ends_with(of_plain_model);
  if (plain) testbed.resize(testbed.size() - of_plain_model.size());

  base::csv_reader rows(base::read_file(errors), errors,
                        {"testbed", "application", "measured_s", plain ? "plain_s" : "predicted_s"},
                        base::csv_reader::other_columns::skipped);
  std::vector<double> of_program, of_others;
  while (rows.next()) {
    auto const predicted_s = rows.number_or_none(3);
    if (rows.text(0) != testbed || !predicted_s) continue;
    (rows.text(1) == program ? of_program : of_others).push_back(std::abs(*predicted_s / rows.number(2) - 1));
  }
  known.of_program = !of_program.empty();
  std::vector<double> const& of = known.of_program ? of_program : of_others;
  known.configurations = of.size();
  if (!of.empty()) known.mean = base::mean(of);
  known.file = errors;
  return known;
}

std::string text_of(known_error const& known) {
  if (known.configurations == 0) {
    return "How far predictions on " + known.platform + " err is not known: nothing was measured there.";
  }
  return "Predictions of " + std::string(known.of_program ? "this program" : "other programs") + " on " +
         known.platform + " err by " + base::fixed(100 * known.mean, 1) + " % in the mean of " +
         std::to_string(known.configurations) + " measured configurations (" + known.file + ")" +
         (known.of_program ? "." : "; this one was not measured there.");
}

}  // namespace ovlp::lab::study
