// SPDX-License-Identifier: BSD-3-Clause
// ovlp whatif
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>

#include "options.hpp"
#include "study/what_if.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct whatif_options {
  std::string bandwidth, latency, nodes;
  std::vector<std::string> speeds;
};

std::vector<lab::study::change> changes_of(whatif_options const& options) {
  std::vector<lab::study::change> all;
  if (!options.bandwidth.empty()) all.push_back(lab::study::change_bandwidth(options.bandwidth));
  if (!options.latency.empty()) all.push_back(lab::study::change_latency(options.latency));
  for (std::string const& speed : options.speeds) all.push_back(lab::study::change_speed(speed));
  if (!options.nodes.empty()) all.push_back(lab::study::change_nodes(options.nodes));
  if (all.empty()) throw config_error("whatif: expected one of --bandwidth, --latency, --speed and --nodes before --");
  return all;
}

}  // namespace

void add_whatif(CLI::App& ovlp, std::vector<std::string> const& program) {
  auto const options = std::make_shared<whatif_options>();
  CLI::App& whatif = *ovlp.add_subcommand(
      "whatif", "Simulate the run after -- again on a changed platform: with each change alone, and with all together");
  auto const add = [&](std::string const& name, auto& value, std::string const& meaning) {
    return add_option(whatif, name, value, "xF|/F|NUMBER", meaning);
  };
  add("--bandwidth", options->bandwidth, "of the network and of links: times F, divided by F, or B/s");
  add("--latency", options->latency, "of the network and of links; or seconds of each transfer");
  add("--speed", options->speeds,
      "of all nodes' cores, or relative to the reference core; NAME=xF: of a kernel, such as gemm=x1.5; may be "
      "repeated")
      ->allow_extra_args(false)
      ->type_name("[NAME=]xF|/F|NUMBER");
  add("--nodes", options->nodes, "of the run");
  whatif.footer(
      "Examples:\n"
      "  ovlp whatif --bandwidth x2 --latency /10 -- lu_sim --nodes 8 --platform gigabit --execution partial\n"
      "  ovlp whatif --speed gemm=x1.5 --nodes 16 -- lu_sim --nodes 8 --platform ./cluster.json --execution partial\n"
      "Values: docs/what-if.md");
  whatif.callback([options, program] {
    std::vector<lab::study::change> const changes = changes_of(*options);
    if (program.empty()) throw config_error("whatif: expected --, and then a program with its arguments");
    base::notice_interrupts();
    base::write_output("-", lab::study::what_if(program, changes));
  });
}

}  // namespace ovlp::tools
