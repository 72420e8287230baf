// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/order_file.hpp>

#include <bit>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/runtime/internal/run_options.hpp>

namespace ovlp {
namespace {

constexpr char const* order_version = "1";

void read_part(std::string const& file, std::string const& program, std::size_t nodes, std::string& run,
               std::vector<deliveries>& into) {
  nlohmann::json const all = base::read_json(file);
  base::json_object of(all, file);
  if (of.text("order") != order_version) of.fail("order", std::string("\"") + order_version + "\"", of.at("order"));
  if (of.text("program") != program) of.fail("program", "\"" + program + "\"", of.at("program"));
  if (of.count("nodes", 1) != nodes) of.fail("nodes", std::to_string(nodes) + ", as --nodes says", of.at("nodes"));
  std::string const of_run = of.text("run");
  if (run.empty()) run = of_run;
  else if (run != of_run) of.fail("run", "\"" + run + "\", the run of the other parts", of.at("run"));
  bool const none = of.at("threads") == nlohmann::json::array();
  for (base::json_object& one : none ? std::vector<base::json_object>() : of.objects("threads")) {
    deliveries& made = into.emplace_back();
    made.thread = one.text("thread");
    std::size_t const node = one.count("node", 0);
    if (node >= nodes) one.fail(one.path("node"), "a node below " + std::to_string(nodes), one.at("node"));
    made.node = static_cast<node_id>(node);
    nlohmann::json const& comes = one.at("comes");
    if (!comes.is_array()) one.fail(one.path("comes"), "a list of names", comes);
    for (nlohmann::json const& name : comes) {
      std::uint64_t read = 0;
      if (!name.is_string() || !base::read_hexadecimal(name.get<std::string>(), read))
        one.fail(one.path("comes"), "names of 16 hexadecimal digits", name);
      made.comes.push_back(read);
    }
    one.end();
  }
  of.end();
}

}  // namespace

std::vector<deliveries> read_order(std::string const& file, std::string const& program, std::size_t nodes) {
  std::vector<deliveries> all;
  std::string run;
  for (node_id node = 0; node < nodes; ++node) {
    std::string const part = file_of_node(file, node);
    if (node == 0 || std::filesystem::exists(part)) read_part(part, program, nodes, run, all);
  }
  return all;
}

void write_order(std::string const& file, order_of_run const& run, node_id node, std::vector<deliveries> const& all) {
  nlohmann::ordered_json of{{"order", order_version},
                            {"program", run.program},
                            {"nodes", run.nodes},
                            {"run", base::hexadecimal(std::bit_cast<std::uint64_t>(run.start_s))}};
  auto& threads = of["threads"] = nlohmann::ordered_json::array();
  for (deliveries const& one : all) {
    auto comes = nlohmann::ordered_json::array();
    for (std::uint64_t const name : one.comes) comes.push_back(base::hexadecimal(name));
    threads.push_back({{"thread", one.thread}, {"node", one.node}, {"comes", std::move(comes)}});
  }
  base::write_output(file_of_node(file, node), base::json_text(of) + "\n");
}

void remove_orders_of_others(std::string const& file, std::size_t nodes) {
  std::error_code ignored;
  for (node_id node = 1; node < nodes; ++node) std::filesystem::remove(file_of_node(file, node), ignored);
}

}  // namespace ovlp
