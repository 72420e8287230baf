// SPDX-License-Identifier: BSD-3-Clause
#include "simulator.hpp"

#include <filesystem>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/run_many.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::study {
namespace {

using nlohmann::ordered_json;

std::string summary_in(std::string const& folder) { return folder + "/summary.json"; }

/// A file that an earlier run has left goes.
base::command summarized(simulator::words what, std::string const& folder,
                         std::optional<std::chrono::duration<double>> time_limit) {
  std::filesystem::remove(summary_in(folder));
  what.insert(what.begin() + 1, {"--summary", summary_in(folder)});
  return {std::move(what), "", {}, time_limit};
}

simulated result_of(base::outcome const& ran, std::string const& folder) {
  if (!ran.good()) return {{}, base::one_line(ran.complaint())};
  std::string const file = summary_in(folder);
  if (!std::filesystem::exists(file))
    return {{}, "ended well, but wrote no summary: expected a program that simulates with ovlp"};
  ordered_json summary = ordered_json::parse(base::read_file(file), nullptr, false);
  if (!summary.is_object() || !summary.contains("backend")) return {{}, "its summary is none of a run"};
  if (summary["backend"] != "simulated") return {{}, "ran for real: expected a program of the simulated backend"};
  return {std::move(summary), ""};
}

}  // namespace

void expect_program(std::string const& name, std::string const& where) {
  if (base::find_program(name).empty())
    throw config_error(where + ": expected a program, a file or one on PATH, got " + base::quoted(name));
}

ordered_json const& simulated::expect(std::string const& what) const {
  if (!failure.empty()) throw io_error(what.empty() ? failure : what + ": " + failure);
  return summary;
}

simulated simulator::run(words const& what) const {
  return result_of(base::run(summarized(what, folder_.path(), time_limit_)), folder_.path());
}

void simulator::run_all(std::size_t count,
                        std::function<words(std::size_t number, std::string const& folder)> const& words_of,
                        std::function<void(std::size_t number, simulated const&)> const& ended) const {
  auto const folder_of = [&](std::size_t place) { return file(std::to_string(place)); };
  base::run_many(
      count, at_once_,
      [&](std::size_t number, std::size_t place) {
        base::make_folder(folder_of(place));
        return summarized(words_of(number, folder_of(place)), folder_of(place), time_limit_);
      },
      [&](std::size_t number, std::size_t place, base::outcome const& ran) {
        ended(number, result_of(ran, folder_of(place)));
      });
}

}  // namespace ovlp::lab::study
