// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <filesystem>
#include <sstream>
#include <system_error>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>

namespace ovlp::tools {

CLI::Validator whole_number(std::size_t least, std::size_t most) {
  auto const check = [least, most](std::string& given) {
    std::size_t value = 0;
    if (base::read_number(given, value) && value >= least && value <= most) {
      given = std::to_string(value);
      return std::string();
    }
    return "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", got '" + given +
           "'";
  };
  return CLI::Validator(check, "");
}

CLI::Validator quantity(double least, double most) {
  auto const check = [least, most](std::string const& given) {
    double value = 0;
    if (base::read_number(given, value) && value >= least && value <= most) return std::string();
    std::ostringstream expected;
    expected << "expected a number from " << least << " to " << most << ", got '" << given << "'";
    return expected.str();
  };
  return CLI::Validator(check, "");
}

CLI::Validator among(std::string const& words) {
  auto const check = [words](std::string const& given) {
    bool const known = ("|" + words + "|").find("|" + given + "|") != std::string::npos;
    return known ? std::string() : "expected " + words + ", got '" + given + "'";
  };
  return CLI::Validator(check, "");
}

CLI::Option* add_choice(CLI::App& to, std::string const& name, std::string& word, std::string const& words,
                        std::string const& what) {
  return add_option(to, name, word, words, what, among(words));
}

CLI::Option* add_numbers(CLI::App& to, std::string const& name, std::vector<double>& numbers, std::string const& type,
                         std::string const& what) {
  return add_option(to, name, numbers, type, what, quantity(1e-15, 1e15))->delimiter(',')->allow_extra_args(false);
}

void add_jobs(CLI::App& to, std::size_t& jobs) {
  jobs = base::available_cores();
  add_option(to, "--jobs", jobs, "N", "runs at once; without it as many as there are cores", whole_number(1, 1024));
}

void add_picture_output(CLI::App& to, std::string& file) {
  auto const check = [](std::string const& given) {
    return charts::image_named(given) ? std::string()
                                      : "expected a file that ends in .svg or .png, got '" + given + "'";
  };
  add_required(to, "-o,--output", file, "FILE", "picture to write, .svg or .png", CLI::Validator(check, ""));
}

void expect_picture(std::string const& file) {
  if (!file.empty() && !charts::image_named(file))
    throw config_error("--picture: expected a name that ends in .svg or .png, got '" + file + "'");
}

void expect_another_file(std::string const& output, std::string const& input) {
  std::error_code error;
  if (std::filesystem::equivalent(output, input, error))
    throw config_error("'" + output + "': expected another file to write than the one that is read");
}

}  // namespace ovlp::tools
