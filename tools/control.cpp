// SPDX-License-Identifier: BSD-3-Clause
// ovlp nodes, ovlp status: orders to a run
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/sockets.hpp>
#include <ovlp/base/text.hpp>

#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

using nlohmann::ordered_json;

constexpr char const* socket_of_run = "the socket of the run's --control";

/// What the run says. Errors: config_error that says why it refuses; io_error if nobody answers.
ordered_json ask(std::string const& socket, ordered_json const& order) {
  std::string const line = base::ask_local_socket(socket, order.dump());
  ordered_json reply = ordered_json::parse(line, nullptr, false);
  if (!reply.is_object()) throw io_error("'" + socket + "': no run of ovlp: it says " + base::quoted(line));
  if (reply.contains("error") && reply["error"].is_string())
    throw config_error("'" + socket + "': " + reply["error"].get<std::string>());
  auto const is_count = [&](char const* key) { return reply.contains(key) && reply[key].is_number_unsigned(); };
  bool const good = reply.contains("application") && reply["application"].is_string() && is_count("held") &&
                    is_count("nodes") && is_count("iteration") &&
                    (is_count("ordered") || (reply.contains("ordered") && reply["ordered"].is_null()));
  if (!good) throw io_error("'" + socket + "': no run of ovlp: it says " + base::quoted(line));
  return reply;
}

void print_status(ordered_json const& reply) {
  std::string text = base::one_line(reply["application"].get<std::string>()) + ": holds " +
                     std::to_string(reply["held"].get<std::size_t>()) + " of " +
                     std::to_string(reply["nodes"].get<std::size_t>()) + " nodes, iteration " +
                     std::to_string(reply["iteration"].get<int>()) + " has ended";
  if (!reply["ordered"].is_null()) text += ", ordered: " + std::to_string(reply["ordered"].get<std::size_t>());
  base::write_output("-", text + "\n");
}

}  // namespace

void add_nodes(CLI::App& ovlp) {
  struct options {
    std::string socket;
    std::size_t nodes = 0;
    bool follow = false;
  };
  auto const given = std::make_shared<options>();
  CLI::App& nodes = *ovlp.add_subcommand("nodes", "Tell a run how many nodes to hold when its iteration has ended");
  add_required(nodes, "run", given->socket, "RUN", socket_of_run);
  CLI::Option* const set =
      add_option(nodes, "--set", given->nodes, "N", "so many, from the next border on", whole_number(1, 1 << 22));
  nodes.add_flag("--follow", given->follow, "what its plan or policy says, again")->excludes(set);
  nodes.footer("Examples:\n  lu_real --nodes 8 --control /tmp/lu.socket &\n  ovlp nodes /tmp/lu.socket --set 6");
  nodes.callback([given, set] {
    if (set->count() == 0 && !given->follow) throw config_error("nodes: expected --set N or --follow");
    print_status(ask(given->socket, given->follow ? ordered_json{{"do", "follow"}}
                                                  : ordered_json{{"do", "hold"}, {"nodes", given->nodes}}));
  });
}

void add_status(CLI::App& ovlp) {
  auto const socket = std::make_shared<std::string>();
  auto const json = std::make_shared<bool>(false);
  CLI::App& status = *ovlp.add_subcommand("status", "How many nodes a run holds, and which iteration has ended");
  add_required(status, "run", *socket, "RUN", socket_of_run);
  status.add_flag("--json", *json, "as JSON: docs/formats/control.md");
  status.callback([socket, json] {
    ordered_json const reply = ask(*socket, {{"do", "status"}});
    if (*json) return base::write_output("-", reply.dump(2) + "\n");
    print_status(reply);
  });
}

}  // namespace ovlp::tools
