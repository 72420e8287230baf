// SPDX-License-Identifier: BSD-3-Clause
// ovlp fit
#include <cstdio>
#include <memory>
#include <string>

#include <ovlp/base/files.hpp>
#include <ovlp/machine/platform.hpp>

#include "fit/kernel_fit.hpp"
#include "options.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {

void add_fit(CLI::App& ovlp) {
  auto const options = std::make_shared<lab::fit_options>();
  CLI::App& fit = add_part(ovlp, "fit");
  add_required(fit, "inputs", options->inputs, "FILE", "durations of kernels, as --record-durations writes them");
  add_option(fit, "--platform", options->platform, "PLATFORM",
             "platform that gets these models: gigabit and the like, or a file");
  add_required(fit, "-o,--output", options->output, "FILE",
               "platform file to write, or, without --platform, a file of the models for --durations (JSON)");
  fit.footer(
      "Examples:\n"
      "  lu_real --block 128 --record-durations 128.json; lu_real --block 256 --record-durations 256.json\n"
      "  ovlp fit 128.json 256.json --platform cluster.json -o cluster-lu.json\n"
      "  lu_sim --block 192 --execution partial --platform cluster-lu.json\n"
      "  ovlp fit 128.json 256.json -o models.json && lu_sim --block 192 --execution partial --durations models.json\n"
      "Formats: docs/formats/durations.md, docs/formats/platform.md");
  fit.callback([options] {
    std::string const begins =  // as durations, or as the platform that gets the models
        options->platform.empty() ? "{\"reference_core\"" : machine::platform::text_of(options->platform);
    base::expect_outputs({{options->output, begins}});
    std::string const table = lab::fit_kernels(*options);
    if (options->output == "-") std::fputs(table.c_str(), stderr);
    else base::write_output("-", table);
  });
}

}  // namespace ovlp::tools
