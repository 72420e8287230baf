// SPDX-License-Identifier: BSD-3-Clause
// The command `ovlp calibrate`: describes the platform that it runs on. An application like any other, so that every
// figure is one of the real runtime between real nodes: lab/testbed/run ovlp-calibrate --nodes 8 -o platform.json
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/runtime/options.hpp>
#include <ovlp/runtime/real.hpp>

#include "calibration.hpp"
#include "testbed/description.hpp"

namespace {

using json = nlohmann::ordered_json;

json read_testbed(std::string const& file) {
  if (file.empty()) return {};
  std::ifstream from(file);
  if (!from) throw ovlp::config_error("--testbed: '" + file + "' cannot be read");
  json read = json::parse(from, nullptr, false);
  if (!read.is_object()) throw ovlp::config_error("--testbed: '" + file + "': expected a JSON object");
  nlohmann::json const unordered = read;
  ovlp::base::json_object description(unordered, file);  // what the platform takes from it
  if (description.has("cores")) description.count("cores", 1);
  if (description.has("buffer_bytes")) description.number_above("buffer_bytes", 0);
  return read;
}

/// Adds the values of a platform file that we have written, if there is one.
void add_earlier(std::string const& file, json const& testbed, ovlp::lab::calibrate::calibration& to) {
  std::ifstream from(file);
  if (!from) return;
  nlohmann::json const read = nlohmann::json::parse(from, nullptr, false);
  if (!read.is_object() || !read.contains("calibration")) {
    throw ovlp::config_error("--add: '" + file + "': expected a platform file that 'ovlp calibrate' has written");
  }
  std::string const differences = ovlp::lab::testbed_differences(read.value("testbed", json()), testbed);
  if (!differences.empty()) {
    throw ovlp::config_error("--add: '" + file + "': expected a platform of this testbed, but " + differences);
  }
  // The file names one processor for all of its values.
  std::string const processor = read.value("processor", read.value("reference_core", "")),
                    here = ovlp::base::processor_name();
  if (processor != here) {
    throw ovlp::config_error("--add: '" + file + "': expected a platform that was calibrated on '" + here + "', got '" +
                             processor + "'");
  }
  to.add(ovlp::base::json_object(read, file).object("calibration"));
}

/// Of all numbers, the digits that mean something.
json rounded(json of) {
  if (of.is_structured()) {
    for (auto& part : of) part = rounded(part);
    return of;
  }
  if (!of.is_number_float()) return of;
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", of.get<double>());
  return std::strtod(digits, nullptr);
}

}  // namespace

int main(int argc, char** argv) try {
  std::string output, name = "calibrated", testbed_file;
  int rounds = 9;
  double time_limit_s = 150;
  bool add = false;
  ovlp::options options{"ovlp calibrate",
                        "Measure a platform, with the real runtime between real nodes, and describe it"};
  options.add("-o,--output", output, "platform file to write; with -plain before .json the paper's plain model")
      .required();
  options.add("--name", name, "of the platform");
  options.add("--testbed", testbed_file, "description of the testbed that it runs on, to be kept with it");
  options.add("--rounds", rounds, "values of each figure").at_least(1).at_most(1000);
  options.add("--time-limit", time_limit_s, "seconds after which no further round begins").at_least(0);
  options.add("--add", add, "to the values that the platform file holds from earlier rounds");
  ovlp::real::engine run{argc, argv, options};
  if (run.nodes() < 2) throw ovlp::config_error("--nodes: expected at least 2, got " + std::to_string(run.nodes()));
  bool const is_json = output.size() > 5 && output.ends_with(".json");
  if (!is_json) throw ovlp::config_error("--output: expected a file that ends in .json, got '" + output + "'");
  auto const folder = std::filesystem::absolute(output).parent_path();
  if (!std::filesystem::is_directory(folder) || ::access(folder.c_str(), W_OK) != 0) {
    throw ovlp::config_error("--output: '" + output + "': expected a file in a folder to write to");
  }

  ovlp::lab::calibrate::process_clocks clocks;
  ovlp::lab::calibrate::patterns ask(run, clocks, static_cast<std::uint32_t>(run.nodes()));
  ovlp::lab::calibrate::calibration found(ask);
  double const start_s = ovlp::base::monotonic_s();
  found.launch();  // from here on in node 0 only
  ovlp::base::end_on_interrupt_with("ovlp calibrate: interrupted");
  json const testbed = rounded(read_testbed(testbed_file));
  if (add) add_earlier(output, testbed, found);
  ovlp::base::progress progress("ovlp calibrate", static_cast<std::size_t>(rounds), "rounds");
  for (int r = 1; r <= rounds; ++r) {
    double const passed_s = ovlp::base::monotonic_s() - start_s;
    if (r > 1 && passed_s > time_limit_s) break;
    progress.say("ovlp calibrate: round " + std::to_string(r) + " of " + std::to_string(rounds) + ", " +
                 ovlp::base::fixed(passed_s, 0) + " s");
    found.round();
    // After each round: what is measured stays if the next one is interrupted.
    ovlp::base::replace_file(output, ovlp::base::json_text(rounded(found.platform(name, testbed))) + "\n");
    ovlp::base::replace_file(output.substr(0, output.size() - 5) + "-plain.json",
                             ovlp::base::json_text(rounded(found.plain_platform(name, testbed))) + "\n");
    ovlp::base::end_on_interrupt_with("ovlp calibrate: interrupted; '" + output + "' with " + std::to_string(r) +
                                      " of " + std::to_string(rounds) + " rounds is kept");
    progress.advance();
  }
  return 0;
} catch (ovlp::config_error const& wrong) {
  std::fprintf(stderr, "ovlp calibrate: %s\n", wrong.what());
  return 2;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp calibrate: %s\n", failed.what());
  return 1;
}
