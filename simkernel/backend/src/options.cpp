// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/option_parser.hpp>

namespace ovlp::sim {

execution_mode simulation_options::mode() const {
  if (execution == "partial") return execution_mode::partial;
  return execution == "sampled" ? execution_mode::sampled : execution_mode::direct;
}

void simulation_options::add_own(options& to) {
  CLI::App& parser = to.internals().parser;
  auto const simulated = [](CLI::Option* option) { return option->group("Run (simulated)"); };
  simulated(add_value(parser, "--platform", platform,
                      "nodes and network: fast-ethernet-ultrasparc, gigabit, 10-gigabit, local (this machine's "
                      "loopback), or a file"));
  simulated(add_to(parser, "--without", without,
                   "leave a part of the platform's model out, such as one of its effects; repeatable"))
      ->allow_extra_args(false);
  simulated(
      add_value(parser, "--execution", execution,
                "direct: kernels run and are measured; partial: estimates are charged; sampled: the first of each "
                "kernel and sizes run, then their mean is charged"))
      ->check(among({"direct", "partial", "sampled"}));
  simulated(add_to(parser, "--durations", durations,
                   "file with durations of kernels, as --record-durations writes them; repeatable"))
      ->allow_extra_args(false);
  simulated(add_to(parser, "--sample", sample,
                   "with --execution sampled: how often each kernel and sizes is measured, as a number or until the "
                   "standard error of the mean is below a percentage, such as 2% (default 5)"));
  simulated(add_to(parser, "--no-alloc", no_alloc, "buffers have sizes and no elements; needs --execution partial"));
  simulated(add_value(parser, "--host-speed", host_speed,
                      "speed of a core of this machine relative to the platform's reference core"))
      ->check(number_between(1e-6, 1e6));
  simulated(add_to(parser, "--shuffle", shuffle, "events at one instant come in an order drawn from this seed"));
  simulated(add_to(parser, "--vary", vary,
                   "one of many runs that could be, by this seed: kernels take times around their means, as "
                   "--durations says, and quotas begin at other moments"));
  simulated(
      add_value(parser, "--interleaving", exploring.interleaving,
                "file of `ovlp explore`: no time and no network, but the order of steps and arrivals that it says"));
  add_value(parser, "--explore-server", exploring.server, "descriptor of `ovlp explore`")->group("");
  add_value(parser, "--charge-as", charge_as, "a file that `ovlp metrics` makes")->group("");  // not for people
}

std::vector<run_options::foreign_option> simulation_options::foreign_options() const {
  return {{"--poll-us"},   {"--hosts"},   {"--launch"},         {"--listen"},
          {"--transport"}, {"--control"}, {"--launch-timeout"}, {"--peer-timeout"}};
}

void simulation_options::check_own() {
  if (no_alloc && execution != "partial") {
    throw config_error("--no-alloc: expected --execution partial, got " + execution +
                       ": bodies of kernels that run need their elements");
  }
}

}  // namespace ovlp::sim
