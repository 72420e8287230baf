// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/platform.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/netmodel/network.hpp>

#include "ablation.hpp"
#include "effect.hpp"
#include "known_platforms.hpp"
#include "local_platform.hpp"
#include "networks.hpp"
#include "node_kinds.hpp"
#include "read_parameters.hpp"
#include "transports.hpp"

namespace ovlp::machine {
namespace {

using base::json_object;

shared_host read_host(json_object from) {
  shared_host read;
  read.cores = count(from, "cores");
  read.time_slice_s = number(from, "time_slice_s");
  from.end();
  return read;
}

communication_cost read_communication(json_object from) {
  communication_cost read;
  read.incoming = from.numbers("incoming", least_of(from, "incoming"));
  read.outgoing = from.numbers("outgoing", least_of(from, "outgoing"));
  read.send.per_message_s = number(from, "per_message_s");
  read.send.per_byte_s = number(from, "per_byte_s");
  read.receive.per_message_s = number(from, "receive_per_message_s", read.send.per_message_s);
  read.receive.per_byte_s = number(from, "receive_per_byte_s", read.send.per_byte_s);
  from.end();
  return read;
}

runtime_parameters read_runtime(json_object from) {
  runtime_parameters read;
  read.concurrent_per_pair = count(from, "concurrent_per_pair");
  read.per_step_s = number(from, "per_step_s");
  read.per_object_s = number(from, "per_object_s");
  from.end();
  return read;
}

bool is_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::size_t const begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '<';
}

/// The platform that a file of SimGrid describes by itself.
std::string around_simgrid_file(std::string const& file) {
  std::filesystem::path const path(file);
  nlohmann::ordered_json const made{
      {"name", path.stem().string()},
      {"reference_core", first_host + std::string(" of ") + path.filename().string()},
      {"network", {{"model", "simgrid"}, {"file", path.filename().string()}, {"reference_flops", first_host}}}};
  return base::json_text(made);
}

/// What communication takes at most must leave something to compute with.
void check_cores(platform const& p, std::string const& file) {
  double const most =
      *std::ranges::max_element(p.communication.incoming) + *std::ranges::max_element(p.communication.outgoing);
  for (node_kind const& kind : p.nodes) {
    if (most < static_cast<double>(kind.cores)) continue;
    throw config_error(file +
                       ": comm_cpu: expected largest entries of incoming and outgoing that add up to less than " +
                       std::to_string(kind.cores) + " (cores of a node), got " + base::shortest(most));
  }
}

/// Nodes share a host's cores by their quotas, or evenly.
void check_host(platform const& p, std::string const& file) {
  if (!p.host) return;
  auto const by_quota = [](node_kind const& kind) { return kind.quota && kind.cores == 1; };
  auto const evenly = [&](node_kind const& kind) {
    bool const steady = !kind.quota && kind.speed_over_time == nullptr && kind.slowdowns.empty();
    return p.nodes.size() == 1 && steady && kind.speed_deviation == 0 && kind.cores == p.host->cores;
  };
  bool const no_slices = p.host->time_slice_s == 0;
  if (std::ranges::all_of(p.nodes, by_quota) || (no_slices && std::ranges::all_of(p.nodes, evenly))) return;
  throw config_error(file + ": host: expected nodes with one core and a quota, or of one kind, with the host's " +
                     std::to_string(p.host->cores) + " cores, without quota and of a speed that does not change, " +
                     "and no time_slice_s");
}

}  // namespace

kernel_model kernel_model::read(json_object from) {
  kernel_model made;
  made.offset_s = number(from, "offset_s");
  made.coefficient_s = number(from, "coefficient_s");
  made.exponents = from.numbers("exponents", least_of(from, "exponents"));
  made.half_size = number(from, "half_size");
  made.double_size = number(from, "double_size");
  from.end();
  return made;
}

double kernel_model::operator()(std::span<std::int64_t const> sizes) const {
  double product = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto const size = static_cast<double>(sizes[i]);
    product *= std::pow(size, exponents[i]);
    least = std::min(least, size);
  }
  if (least == 0) return offset_s;
  double const beyond_caches = double_size > 0 ? least / double_size : 0;
  return offset_s + coefficient_s * product * (1 + half_size / least) * (1 + beyond_caches);
}

node_kind const& platform::kind_of(std::size_t node) const {
  for (node_kind const& kind : nodes) {
    if (node < kind.count) return kind;
    node -= kind.count;
  }
  return nodes.back();
}

double platform::speed_deviation() const {
  return std::ranges::max(nodes, {}, &node_kind::speed_deviation).speed_deviation;
}

std::vector<double> platform::capacities(std::size_t count) const {
  std::vector<double> all;
  for (std::size_t n = 0; n < count; ++n) {
    double const whole = kind_of(n).capacity();
    all.push_back(shares_host_evenly() ? whole / static_cast<double>(count) : whole);
  }
  return all;
}

std::size_t platform::node_count() const {
  std::size_t count = 0;
  for (node_kind const& kind : nodes) count += kind.count;
  return count;
}

std::unique_ptr<net::network> platform::make_network(std::size_t count) const {
  std::vector<net::node_link> links;
  links.reserve(count);
  for (std::size_t n = 0; n < count; ++n) links.push_back(kind_of(n).link);
  return network.make(links);
}

platform platform::parse(std::string const& text, std::string const& file, std::vector<std::string> const& without) {
  nlohmann::json json = base::parse_json(text, file);
  leave_out(json, file, without);
  std::vector<base::setting> settings;
  json_object top(json, file, "", &settings);
  platform read;
  read.name = top.text("name");
  read.reference_core = top.text("reference_core");
  if (top.has("processor")) read.processor = top.text("processor");
  read.calibrated = top.has("calibration");
  if (read.calibrated && !top.at("calibration").is_object())
    top.fail("calibration", "an object, as ovlp calibrate writes it", top.at("calibration"));
  for (char const* for_people : {"assumptions", "testbed", "calibration", "fit"}) top.skip(for_people);
  network_section network = read_network(top.object("network"));
  read.network = std::move(network.model);
  read.nodes = std::move(network.nodes);
  read.assumption = std::move(network.assumption);
  if (read.nodes.empty()) read.nodes = read_node_kinds(top.objects("nodes"), network.bandwidth_Bps);
  if (top.has("host")) read.host = read_host(top.object("host"));
  if (top.has("transport")) read.transport = read_transport(top.object("transport"));
  if (top.has("comm_cpu")) read.communication = read_communication(top.object("comm_cpu"));
  if (top.has("effects")) read.effects = read_effects(top.objects("effects"));
  read.runtime = read_runtime(top.object_or_empty("runtime"));
  if (top.has("kernels")) {
    json_object kernels = top.object("kernels");
    for (std::string const& name : kernels.keys()) read.kernels[name] = kernel_model::read(kernels.object(name));
  }
  top.end();
  for (base::setting& s : settings) read.settings.push_back({std::move(s.key), std::move(s.value), s.given});
  check_cores(read, file);
  check_host(read, file);
  return read;
}

platform platform::find(std::string const& name_or_file, std::vector<std::string> const& without) {
  platform found = parse(text_of(name_or_file), name_or_file, without);
  if (name_or_file == "local") found.figures_from = find_local_platform().about;
  return found;
}

net::topology platform::topology() const {
  if (network.topology) return network.topology();
  net::topology drawn;
  std::size_t const count = node_count();
  for (std::size_t n = 0; n < count; ++n) drawn.vertices.push_back({"node" + std::to_string(n), true});
  drawn.vertices.push_back({network.name, false});
  for (std::size_t n = 0; n < count; ++n) {
    net::node_link const& l = kind_of(n).link;
    drawn.connections.push_back({n, count, net::topology::link_cost{l.out_Bps, l.latency_s}, true});
  }
  return drawn;
}

std::string_view setting::unit() const {
  return value.find_first_of("0123456789") == std::string::npos ? "" : unit_of(key);
}

bool setting::is_meant() const {
  parameter const* const row = find_parameter(key);
  if (!given || row == nullptr || !row->neutral) return given;
  bool const is_list = value.starts_with('[') && value.ends_with(']');
  double number = 0;
  return !base::read_number(is_list ? value.substr(1, value.size() - 2) : value, number) || number != *row->neutral;
}

std::vector<std::string> ablations(std::string const& name_or_file) {
  return parts_to_leave_out(base::parse_json(platform::text_of(name_or_file), name_or_file));
}

std::string platform::default_name() {
  char const* const named = std::getenv("OVLP_PLATFORM");  // NOLINT(concurrency-mt-unsafe): nobody writes it
  return named != nullptr && *named != '\0' ? named : "local";
}

bool platform::is_known(std::string const& name) { return known_platforms().contains(name); }

std::string platform::text_of(std::string const& name_or_file) {
  if (name_or_file == "local") return find_local_platform().text;
  auto const known = known_platforms().find(name_or_file);
  if (known != known_platforms().end()) return known->second;
  if (name_or_file.find_first_of("./") != std::string::npos) {
    std::string text = base::read_file(name_or_file);
    return is_xml(text) ? around_simgrid_file(name_or_file) : text;
  }
  std::string names;
  for (auto const& [name, text] : known_platforms()) names += name + ", ";
  throw config_error("platform '" + name_or_file + "': expected " + names + "or a file such as ./cluster.json");
}

}  // namespace ovlp::machine
