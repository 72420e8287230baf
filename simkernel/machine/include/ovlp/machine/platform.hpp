// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/netmodel/node_link.hpp>
#include <ovlp/netmodel/topology.hpp>

namespace ovlp::net {
class network;
}
namespace ovlp::base {
class json_object;
}

namespace ovlp::machine {

class effect;
class message_path;
class transport;

/// A limit on the CPU time of a node, as control groups set it: a budget of `share` of its cores, renewed at the
/// start of each period. Until it is spent a node computes at full speed; then it is throttled.
struct cpu_quota {
  double share = 1;     ///< above 0, at most 1
  double period_s = 0;  ///< above 0
  double carry_s = 0;   ///< of an unspent budget, kept over the end of its period
};

/// Draws a number, 0 or more.
using distribution = std::function<double(std::mt19937_64&)>;

/// Phases in which a node is slow: a straggler, or one that others use. They come by chance.
struct slowdown {
  distribution interval_s;  ///< from the end of one, or the start of the run, to the next; 1 us at least
  distribution duration_s;  ///< 1 us at least
  distribution factor;      ///< how many times as long everything takes; 1 at least
};

/// Nodes that are alike.
struct node_kind {
  std::size_t count = 1;
  std::size_t cores = 1;
  double speed = 1;                         ///< of a core, relative to the reference core
  double launch_s = 0;                      ///< until the node can be sent to
  net::node_link link{};                    ///< bandwidths of 0: of a network whose links are not its nodes'
  std::optional<std::size_t> memory_bytes;  ///< none: nobody counts
  std::optional<cpu_quota> quota;
  std::shared_ptr<net::factor_over_time const> speed_over_time;  ///< nullptr: it stays
  /// What they multiply to is what holds.
  std::vector<slowdown> slowdowns;
  /// Relative standard deviation of a node's speed from run to run and node to node, since others use the machine too.
  /// Of --vary only.
  double speed_deviation = 0;

  /// What it gives in the long run, in reference cores.
  double capacity() const { return static_cast<double>(cores) * speed * (quota ? quota->share : 1); }
};

/// One machine on which all nodes live. Without quotas their jobs share its cores evenly, whichever node they are of.
/// With them each node is on one of its cores, which a scheduler shares among its nodes.
struct shared_host {
  std::size_t cores = 1;
  /// How long a thread computes before another thread of its node that waits gets the core; 0: until it has nothing to
  /// do.
  double time_slice_s = 0;
};

/// What communication takes from a node's processor.
struct communication_cost {
  /// Cores taken while so many transfers enter, or leave; the last entry stands for all larger numbers.
  std::vector<double> incoming{0};
  std::vector<double> outgoing{0};
  /// CPU seconds on the reference core.
  struct end {
    double per_message_s = 0;
    double per_byte_s = 0;
  };
  end send, receive;
};

/// What the runtime itself does and costs.
struct runtime_parameters {
  std::size_t concurrent_per_pair = 1;  ///< objects in transfer at once from one node to another; 0: no bound
  double per_step_s = 0;                ///< of each atomic step, where it is not measured
  double per_object_s = 0;              ///< more for a step that ends with a post
};

/// How long a kernel takes as a function of its sizes, in seconds on the reference core:
///   offset_s + coefficient_s * prod(size_i ^ exponent_i) * (1 + half_size / s) * (1 + s / double_size),
///   s = min(size_i)
/// The speed reaches half of its limit where s is `half_size`; large blocks leave the caches, and time has doubled
/// where s is `double_size` (0: never).
struct kernel_model {
  double offset_s = 0;
  double coefficient_s = 0;
  std::vector<double> exponents;  ///< one for each size
  double half_size = 0;
  double double_size = 0;

  /// As files say it. Errors: config_error.
  static kernel_model read(base::json_object from);
  /// Seconds of a kernel with as many sizes as there are exponents; `offset_s` if one of them is 0.
  double operator()(std::span<std::int64_t const> sizes) const;
};

/// A part of a machine that the file chooses by name; `make` makes one with the parameters that stand beside the name.
template <class Part, class... From>
struct model {
  std::string name;
  std::function<std::unique_ptr<Part>(From...)> make;
};
/// Of the nodes with these links.
struct network_model : model<net::network, std::vector<net::node_link> const&> {
  std::function<net::topology()> topology;  ///< none: each node's link leads to one crossbar
};
using transport_model = model<transport, message_path&>;
using effect_model = model<effect, std::size_t>;  ///< on so many nodes

/// The paper's transport: whole objects, each on its own. What a file says that says nothing.
transport_model direct_transport_model();

/// A value of a platform's file, as it holds.
struct setting {
  std::string key;    ///< its place: "network.latency_s"
  std::string value;  ///< a text, or as JSON; "none" for a part that may be missing and is
  bool given;         ///< by the file; else it is a default

  /// By its parameter's row; "" for what has none, or is no number.
  std::string_view unit() const;
  /// Whether it is given, and not as what holds without it.
  bool is_meant() const;
};

/// The machine that a simulated run stands on. Format: docs/formats/platform.md.
struct platform {
  std::string name;
  std::string reference_core;
  std::string processor;     ///< on which it was calibrated, as in /proc/cpuinfo; empty: nobody says
  std::string figures_from;  ///< of "local": when and where they were measured; else empty
  bool calibrated = false;   ///< its figures were measured, on the nodes that it describes
  std::vector<node_kind> nodes;
  std::optional<shared_host> host;  ///< none: each node is a machine of its own
  network_model network;
  transport_model transport = direct_transport_model();
  communication_cost communication;
  std::vector<effect_model> effects;
  runtime_parameters runtime;
  std::map<std::string, kernel_model> kernels;
  std::string assumption;         ///< a line on what was assumed where a file did not say; may be empty
  std::vector<setting> settings;  ///< of which all this was made, in the order of their reading

  /// The kind of a node; numbers beyond the last one are of the last kind.
  node_kind const& kind_of(std::size_t node) const;
  /// Of each of so many nodes that are held, in the long run, in reference cores.
  std::vector<double> capacities(std::size_t nodes) const;
  /// Whether a host's cores are shared without quotas.
  bool shares_host_evenly() const { return host && !nodes.front().quota; }
  /// How many nodes the file describes.
  std::size_t node_count() const;
  /// Of the kind of nodes whose speeds differ most.
  double speed_deviation() const;
  /// What joins the nodes. Errors: config_error.
  net::topology topology() const;
  /// That of so many nodes.
  std::unique_ptr<net::network> make_network(std::size_t nodes) const;

  /// One of those in platforms/, such as "gigabit"; else a file, also one of SimGrid (XML). "local" is this machine:
  /// what it costs is measured when it is asked for first, in some two seconds (docs/platforms.md). `without`: parts of
  /// the model that are left out, as ablations() names them. Errors: config_error that names file, key and what was
  /// expected.
  static platform find(std::string const& name_or_file, std::vector<std::string> const& without = {});
  /// Of a file's contents; `name` stands for the file in messages. Errors: as find().
  static platform parse(std::string const& text, std::string const& name, std::vector<std::string> const& without = {});
  /// The one of a run that names none: what the environment's OVLP_PLATFORM says, else "local".
  static std::string default_name();
  /// Whether it is the name of one in platforms/.
  static bool is_known(std::string const& name);
  /// The contents of its file; for one of SimGrid, of a file that refers to it.
  static std::string text_of(std::string const& name_or_file);
};

/// The parts of the model of a platform that can be left out, one at a time or together: its effects, and what makes
/// its network, its processors and its transport more than the simplest ones. Errors: as platform::find().
std::vector<std::string> ablations(std::string const& name_or_file);

/// A platform file's content, with a network on which objects are where they go as soon as they are sent. What they
/// cost processors stays, or goes too. `name` stands for the file in messages. Errors: config_error, if it is none, or
/// its network describes the nodes.
enum class costs_of_messages : std::uint8_t { stay, go };
std::string with_ideal_network(std::string const& text, std::string const& name, costs_of_messages costs);

}  // namespace ovlp::machine
