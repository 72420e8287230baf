// SPDX-License-Identifier: BSD-3-Clause
// ovlp fit
#include <cstdio>
#include <memory>
#include <string>

#include <ovlp/support/files.hpp>

#include "fit/kernel_fit.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {

void add_fit(CLI::App& ovlp) {
  auto const options = std::make_shared<lab::fit_options>();
  CLI::App& fit = *ovlp.add_subcommand(
      "fit", "Fit models over sizes to durations of kernels, for sizes that have not been measured");
  fit.add_option("inputs", options->inputs, "durations of kernels, as --record-durations writes them")
      ->required()
      ->type_name("FILE");
  fit.add_option("--platform", options->platform, "platform that gets these models: gigabit and the like, or a file")
      ->type_name("PLATFORM");
  fit.add_option("-o,--output", options->output, "platform file to write, or file of the models alone (JSON)")
      ->required()
      ->type_name("FILE");
  fit.footer(
      "Examples:\n"
      "  lu_real --block 128 --record-durations 128.json; lu_real --block 256 --record-durations 256.json\n"
      "  ovlp fit 128.json 256.json --platform cluster.json -o cluster-lu.json\n"
      "  lu_sim --block 192 --execution partial --platform cluster-lu.json\n"
      "Formats: docs/formats/durations.md, docs/formats/platform.md");
  fit.callback([options] {
    std::string const table = lab::fit_kernels(*options);
    if (options->output == "-") std::fputs(table.c_str(), stderr);
    else support::write_output("-", table);
  });
}

}  // namespace ovlp::tools
