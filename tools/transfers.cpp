// SPDX-License-Identifier: BSD-3-Clause
// ovlp transfers
#include <memory>

#include "checks.hpp"
#include "subcommands.hpp"
#include "transfer_replay.hpp"

namespace ovlp::tools {

void add_transfers(CLI::App& ovlp) {
  auto const options = std::make_shared<transfers_options>();
  CLI::App& transfers = *ovlp.add_subcommand(
      "transfers", "Replay a list of transfers on a platform's network: writes when each has ended");
  transfers.add_option("--platform", options->platform, "platform: gigabit and the like, or a file (JSON)")
      ->required()
      ->type_name("PLATFORM");
  transfers.add_option("--nodes", options->nodes, "nodes of the network, instead of the platform's")
      ->type_name("N")
      ->transform(whole_number(1, 1'000'000));
  transfers
      .add_option("input", options->input,
                  "CSV file with the columns start_s, source, destination, bytes; - is standard input")
      ->required()
      ->type_name("FILE");
  transfers.add_option("-o,--output", options->output, "CSV file to write; - is standard output")
      ->required()
      ->type_name("FILE");
  transfers.footer(
      "Examples:\n"
      "  ovlp transfers --platform cluster.json transfers.csv -o ends.csv\n"
      "  ovlp transfers --platform cluster.json --nodes 64 - -o - <transfers.csv | column -s, -t\n"
      "Formats: docs/formats/transfers.md, docs/formats/platform.md");
  transfers.callback([options] { replay_transfers(*options); });
}

}  // namespace ovlp::tools
