// SPDX-License-Identifier: BSD-3-Clause
// The platform `local`: this machine, measured when it is asked for first. Each case has a cache of its own; which
// figures are found is nobody's expectation.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/machine/platform.hpp>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using ovlp::base::outcome;
using ovlp::testing::contents;
using ovlp::testing::lines_of;
using ovlp::testing::temporary_folder;
using Variables = std::vector<std::pair<std::string, std::string>>;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

ovlp::base::command show_local(std::string const& cache, Variables more = {}) {
  more.emplace_back("XDG_CACHE_HOME", cache);
  return {{OVLP_COMMAND, "platform", "show", "local"}, "", more, 60s};
}
std::vector<std::filesystem::path> files_in(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> found;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) found.push_back(entry.path());
  return found;
}

}  // namespace

TEST_CASE("this machine is measured once, and its cores are shared") {
  temporary_folder const cache;
  outcome const first = ovlp::base::run(show_local(cache.path()));
  CAPTURE(first.err);
  REQUIRE(first.good());
  REQUIRE(lines_of(first.err).size() == 1);
  CHECK(first.err.starts_with("ovlp: platform local: measured this machine in "));
  auto const kept = files_in(cache.path() / "ovlp");
  REQUIRE(kept.size() == 1);
  CHECK(contains(first.err, "kept in " + kept[0].string()));
  CHECK(contains(first.out, "measured "));

  outcome const again = ovlp::base::run(show_local(cache.path()));
  CHECK(again.err.empty());
  CHECK(again.out == first.out);

  auto const found = ovlp::machine::platform::find(kept[0]);
  CHECK(found.shares_host_evenly());
  CHECK(found.host->cores <= ovlp::base::available_cores());
  CHECK(found.processor == ovlp::base::processor_name());
  for (double const cost_s : {found.runtime.per_step_s, found.communication.send.per_message_s}) {
    CHECK(cost_s > 0);
    CHECK(cost_s < 0.01);
  }

  // A program of a user's own, which has no command at hand.
  std::string const summary = cache.path() / "summary.json";
  outcome const run = ovlp::base::run({{HEAT_SIMULATED, "--nodes", "2", "--rows", "20", "--columns", "20", "--sweeps",
                                        "2", "--platform", "local", "--summary", summary},
                                       "",
                                       {{"XDG_CACHE_HOME", cache.path()}}});
  CHECK(run.good());
  CHECK(!contains(run.err, "measured this machine"));
  nlohmann::json const said = nlohmann::json::parse(contents(summary));
  CHECK(said.at("platform") == "local");
  CHECK(contains(said.at("platform_from"), kept[0].string()));
}

TEST_CASE("of two first uses at a time one measures, and the other waits for it") {
  temporary_folder const cache;
  ovlp::testing::process one(show_local(cache.path())), other(show_local(cache.path()));
  CHECK(one.wait(60s) == 0);
  CHECK(other.wait(60s) == 0);
  CHECK(one.out() == other.out());
  CHECK(lines_of(one.err() + other.err()).size() == 1);
  auto const kept = files_in(cache.path() / "ovlp");
  REQUIRE(kept.size() == 1);
  CHECK_NOTHROW(ovlp::machine::platform::find(kept[0]));
}

TEST_CASE("a file that is damaged is measured again; what cannot be kept is said") {
  temporary_folder const cache;
  REQUIRE(ovlp::base::run(show_local(cache.path())).good());
  auto const kept = files_in(cache.path() / "ovlp");
  REQUIRE(kept.size() == 1);
  ovlp::base::write_file(kept[0], contents(kept[0]).substr(0, 300));
  outcome const mended = ovlp::base::run(show_local(cache.path()));
  CHECK(mended.good());
  CHECK(lines_of(mended.err).size() == 2);
  CHECK(contains(mended.err, "it is measured again"));
  CHECK_NOTHROW(ovlp::machine::platform::find(kept[0]));

  std::string const no_folder = cache.file("file", "");
  outcome const unkept = ovlp::base::run(show_local(no_folder));
  CHECK(unkept.good());
  REQUIRE(lines_of(unkept.err).size() == 1);
  CHECK(contains(unkept.err, "it cannot be kept: "));
  CHECK(contains(unkept.out, ", not kept"));
}

TEST_CASE("where this machine cannot be measured figures are those that come with ovlp, and it is said") {
  temporary_folder const cache;
  outcome const shown = ovlp::base::run(show_local(cache.path(), {{"OVLP_MODULE_DIR", "/nowhere"}}));
  CAPTURE(shown.err);
  CHECK(shown.good());
  REQUIRE(lines_of(shown.err).size() == 1);
  CHECK(contains(shown.err, "this machine could not be measured, so figures are those that come with ovlp: "));
  CHECK(contains(shown.out, "could not be measured"));
  CHECK(contains(shown.out, "host.cores"));
  CHECK(files_in(cache.path() / "ovlp").empty());
}
