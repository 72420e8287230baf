// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include <filesystem>
#include <sstream>
#include <system_error>

#include <ovlp/base/error.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/text.hpp>

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
  return CLI::Validator(
      [words](std::string& given) {
        return ("|" + words + "|").find("|" + given + "|") != std::string::npos
                   ? std::string()
                   : "expected " + words + ", got '" + given + "'";
      },
      "");
}

void add_jobs(CLI::App& to, std::size_t& jobs) {
  jobs = base::available_cores();
  to.add_option("--jobs", jobs, "runs at once; without it as many as there are cores")
      ->type_name("N")
      ->transform(whole_number(1, 1024));
}

void expect_another_file(std::string const& output, std::string const& input) {
  std::error_code error;
  if (std::filesystem::equivalent(output, input, error))
    throw config_error("'" + output + "': expected another file to write than the one that is read");
}

}  // namespace ovlp::tools
