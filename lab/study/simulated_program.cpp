// SPDX-License-Identifier: BSD-3-Clause
#include "simulated_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::study {
namespace {

using nlohmann::ordered_json;

bool can_be_run(std::filesystem::path const& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

bool is_on_path(std::string const& name) {
  char const* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (can_be_run(std::filesystem::path(folder) / name)) return true;
  }
  return false;
}

}  // namespace

void expect_program(std::string const& name, std::string const& where) {
  bool const there = name.find('/') != std::string::npos ? can_be_run(name) : is_on_path(name);
  if (!there) throw config_error(where + ": expected a program, a file or one on PATH, got " + base::quoted(name));
}

base::command summarized(std::vector<std::string> words, std::string const& file,
                         std::optional<std::chrono::duration<double>> time_limit) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  words.insert(words.begin() + 1, {"--summary", file});
  return {std::move(words), "", {}, time_limit};
}

ordered_json summary_of(base::outcome const& ran, std::string const& file) {
  if (!ran.good()) throw io_error(base::one_line(ran.complaint()));
  if (!std::filesystem::exists(file))
    throw io_error("ended well, but wrote no summary: expected a program that simulates with ovlp");
  ordered_json summary = ordered_json::parse(base::read_file(file), nullptr, false);
  if (!summary.is_object() || !summary.contains("backend")) throw io_error("its summary is none of a run");
  if (summary["backend"] != "simulated") throw io_error("ran for real: expected a program of the simulated backend");
  return summary;
}

}  // namespace ovlp::lab::study
