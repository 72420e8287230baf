// SPDX-License-Identifier: BSD-3-Clause
// ovlp transfers: replays a list of transfers on a platform's network, and writes it with the time at which each has
// ended. Format: docs/formats/transfers.md. Cost: O(log n) per transfer, as a star; all are held in memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/csv.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/progress.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/machine/virtual_machine.hpp>

#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using base::csv_reader;

struct transfers_options {
  std::string platform;              // a platform file
  std::optional<std::size_t> nodes;  // instead of the platform's
  std::string input;                 // a CSV file; "-" is standard input
  std::string output;                // a CSV file; "-" is standard output
};

struct row {
  std::string text;  // as in the file
  std::size_t line;
  double start_s;
  machine::node_id from, to;
  std::uint64_t bytes;
};

struct transfer_list {
  std::vector<std::string> comments;
  std::string names;  // of the columns
  std::vector<row> rows;
};

transfer_list read_transfers(std::string contents, std::string const& name, std::size_t nodes) {
  enum : std::size_t { start_s, source, destination, bytes };
  csv_reader reader(std::move(contents), name, {"start_s", "source", "destination", "bytes"},
                    csv_reader::other_columns::refused);
  transfer_list read{reader.comments(), std::string(reader.line()), {}};
  while (reader.next()) {
    auto const node = [&](std::size_t column, std::string const& column_name) {
      std::uint64_t const number = reader.whole_number(column);
      if (number >= nodes) {
        reader.fail(column_name + ": expected a node from 0 to " + std::to_string(nodes - 1) + ", of a network of " +
                    std::to_string(nodes) + ", got " + std::to_string(number));
      }
      return static_cast<std::uint32_t>(number);
    };
    row const read_row{std::string(reader.line()),       reader.line_number(),
                       reader.number(start_s),           node(source, "source"),
                       node(destination, "destination"), reader.whole_number(bytes)};
    if (read_row.from == read_row.to) {
      reader.fail("source and destination are both node " + std::to_string(read_row.from) +
                  "; expected two nodes, for what stays on a node is not transferred");
    }
    read.rows.push_back(read_row);
  }
  return read;
}

/// The rows as messages of a virtual machine.
class replay final : machine::event {
  static constexpr std::size_t reported_together = 1024;

 public:
  replay(machine::platform const& on, std::size_t nodes, std::vector<row> const& rows)
      : rows_(rows),
        machine_(on, nodes),
        order_(rows.size()),
        ends_s_(rows.size(), std::nan("")),
        progress_("ovlp transfers", rows.size(), "transfers") {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return rows[a].start_s < rows[b].start_s; });
  }

  /// The end of each transfer. One that ends later than numbers can tell has none: NaN.
  std::vector<double> run() {
    wait_for_next();
    while (machine_.advance()) {
    }
    return std::move(ends_s_);
  }

 private:
  struct transfer final : machine::message {
    explicit transfer(replay& r) : in(r) {}
    void delivered() override {
      in.ends_s_[row] = in.machine_.now_s();
      if (++in.ended_ % reported_together == 0) in.progress_.advance(reported_together);
      in.unused_.push_back(this);
    }
    replay& in;
    std::size_t row = 0;
  };

  void wait_for_next() {
    if (next_ < order_.size()) machine_.events().happen_at(rows_[order_[next_]].start_s, *this);
  }
  /// Those start whose time has come.
  void happen() override {
    for (; next_ < order_.size() && rows_[order_[next_]].start_s <= machine_.now_s(); ++next_) start(order_[next_]);
    wait_for_next();
  }
  void start(std::size_t number) {
    if (unused_.empty()) unused_.push_back(&transfers_.emplace_back(*this));
    transfer& t = *unused_.back();
    unused_.pop_back();
    t.row = number;
    t.from = rows_[number].from;
    t.to = rows_[number].to;
    t.bytes = rows_[number].bytes;
    machine_.send(t);
  }

  std::vector<row> const& rows_;
  machine::virtual_machine machine_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::vector<double> ends_s_;
  std::size_t ended_ = 0;
  base::progress progress_;
  std::deque<transfer> transfers_;
  std::vector<transfer*> unused_;
};

/// What the network of a platform does, and nothing else.
machine::platform network_of(machine::platform on) {
  on.transport = machine::direct_transport_model();
  on.communication = {};
  on.effects.clear();
  return on;
}

void replay_transfers(transfers_options const& options) {
  machine::platform const platform = network_of(machine::platform::find(options.platform));
  std::size_t const nodes = options.nodes.value_or(platform.node_count());

  std::string const name = options.input == "-" ? "standard input" : options.input;
  transfer_list const list = read_transfers(base::read_input(options.input), name, nodes);

  std::vector<double> const ends = replay(platform, nodes, list.rows).run();

  std::string out;
  for (std::string const& comment : list.comments) out += comment + "\n";
  out += list.names + ",end_s\n";
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    row const& of = list.rows[i];
    double const end_s = ends[i];
    if (!std::isfinite(end_s)) {
      throw config_error(name + ":" + std::to_string(of.line) + ": the transfer's end is beyond the largest number");
    }
    out += of.text + "," + base::shortest(end_s) + "\n";
  }
  base::write_output(options.output, out);
}

}  // namespace

void add_transfers(CLI::App& ovlp) {
  auto const options = std::make_shared<transfers_options>();
  CLI::App& transfers = *ovlp.add_subcommand(
      "transfers", "Replay a list of transfers on a platform's network: writes when each has ended");
  add_required(transfers, "--platform", options->platform, "PLATFORM",
               "platform: gigabit and the like, or a file (JSON)");
  add_option(transfers, "--nodes", options->nodes, "N", "nodes of the network, instead of the platform's",
             whole_number(1, 1'000'000));
  add_required(transfers, "input", options->input, "FILE",
               "CSV file with the columns start_s, source, destination, bytes; - is standard input");
  add_required(transfers, "-o,--output", options->output, "FILE", "CSV file to write; - is standard output");
  transfers.footer(
      "Examples:\n"
      "  ovlp transfers --platform cluster.json transfers.csv -o ends.csv\n"
      "  ovlp transfers --platform cluster.json --nodes 64 - -o - <transfers.csv | column -s, -t\n"
      "Formats: docs/formats/transfers.md, docs/formats/platform.md");
  transfers.callback([options] { replay_transfers(*options); });
}

}  // namespace ovlp::tools
