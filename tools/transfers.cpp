// SPDX-License-Identifier: BSD-3-Clause
#include "transfers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/netmodel/network.hpp>
#include <ovlp/simkernel/platform.hpp>

#include "csv.hpp"
#include "output.hpp"

namespace ovlp::tools {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct row {
  std::string text;  // as in the file
  std::size_t line;
  double start_s;
  net::transfer what;
};

struct transfer_list {
  std::vector<std::string> comments;
  std::string names;  // of the columns
  std::vector<row> rows;
};

transfer_list read_transfers(std::istream& from, std::string const& name, std::size_t nodes) {
  enum : std::size_t { start_s, source, destination, bytes };
  csv_reader reader(from, name, {"start_s", "source", "destination", "bytes"}, csv_reader::other_columns::refused);
  transfer_list read{reader.comments(), reader.line(), {}};
  while (reader.next()) {
    auto const node = [&](std::size_t column, std::string const& column_name) {
      std::uint64_t const number = reader.whole_number(column);
      if (number >= nodes) {
        reader.fail(column_name + ": expected a node from 0 to " + std::to_string(nodes - 1) + ", of a network of " +
                    std::to_string(nodes) + ", got " + std::to_string(number));
      }
      return static_cast<std::uint32_t>(number);
    };
    net::transfer const what{read.rows.size(), node(source, "source"), node(destination, "destination"),
                             reader.whole_number(bytes)};
    if (what.source == what.destination) {
      reader.fail("source and destination are both node " + std::to_string(what.source) +
                  "; expected two nodes, for what stays on a node is not transferred");
    }
    read.rows.push_back({reader.line(), reader.line_number(), reader.number(start_s), what});
  }
  return read;
}

/// The end of each transfer. One that ends later than numbers can tell has none: NaN.
std::vector<double> ends_of(std::vector<row> const& rows, net::network& network) {
  std::vector<double> ends(rows.size(), std::nan(""));
  auto const advance = [&] {
    for (net::completion const& done : network.advance(network.next_event())) ends[done.id] = done.time_s;
  };
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a].start_s < rows[b].start_s; });
  for (std::size_t i : order) {
    while (network.next_event() <= rows[i].start_s) advance();
    network.start(rows[i].what, rows[i].start_s);
  }
  while (network.next_event() < infinity) advance();
  return ends;
}

}  // namespace

void replay_transfers(transfers_options const& options) {
  sim::platform const platform = sim::platform::find(options.platform);
  std::size_t const nodes = options.nodes.value_or(platform.node_count());

  bool const standard = options.input == "-";
  std::string const name = standard ? "standard input" : options.input;
  std::ifstream file;
  if (!standard) {
    file.open(options.input, std::ios::binary);
    if (!file) throw io_error(name + ": cannot be read: " + std::strerror(errno));
  }
  transfer_list const list = read_transfers(standard ? std::cin : file, name, nodes);

  std::vector<double> const ends = ends_of(list.rows, *platform.make_network(nodes));

  std::string out;
  for (std::string const& comment : list.comments) out += comment + "\n";
  out += list.names + ",end_s\n";
  for (row const& of : list.rows) {
    double const end_s = ends[of.what.id];
    if (!std::isfinite(end_s)) {
      throw config_error(name + ":" + std::to_string(of.line) + ": the transfer's end is beyond the largest number");
    }
    std::array<char, 32> digits{};
    auto const [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), end_s);  // as many as needed
    out += of.text;
    out += ',';
    out.append(digits.data(), end);
    out += '\n';
  }
  write_output(options.output, out);
}

}  // namespace ovlp::tools
