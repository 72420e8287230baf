// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/expects.hpp>
#include <ovlp/netmodel/simgrid.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>

#include "calls.hpp"
#include "machine.hpp"
#include "topology.hpp"
#include "transfers.hpp"

namespace ovlp::net {
namespace {

namespace sg = ::simgrid::s4u;

/// SimGrid takes these for itself.
class kept_handlers {
 public:
  kept_handlers() {
    for (auto& [signal, action] : actions_) sigaction(signal, nullptr, &action);
    sigaltstack(nullptr, &stack_);
    terminate_ = std::get_terminate();
  }
  kept_handlers(kept_handlers const&) = delete;
  kept_handlers& operator=(kept_handlers const&) = delete;
  ~kept_handlers() {
    for (auto const& [signal, action] : actions_) sigaction(signal, &action, nullptr);
    sigaltstack(&stack_, nullptr);
    std::set_terminate(terminate_);
  }

 private:
  std::pair<int, struct sigaction> actions_[3] = {{SIGSEGV, {}}, {SIGBUS, {}}, {SIGINT, {}}};
  stack_t stack_{};
  std::terminate_handler terminate_ = nullptr;
};

/// 0 if it depends on the size of the transfer.
double configured_latency_factor() {
  std::string const model = ::simgrid::config::get_value<std::string>("network/model");
  if (model == "SMPI" || model == "IB") return 0;
  return ::simgrid::config::get_value<double>("network/latency-factor");
}

class engine final : public simgrid_engine {
 public:
  explicit engine(simgrid_machine const& described) {
    kept_handlers const kept;
    catch_aborts();
    call([&] {
      static std::string name = "ovlp";
      static int count = 1;
      static char* arguments[] = {name.data(), nullptr};
      engine_ = new sg::Engine(&count, arguments);  // for as long as the process
    });
    for (auto const& [key, value] : described.settings) set(key, value);
    made_ = make_hosts(*engine_, described);
    for (sg::Host const* made : made_) {
      hosts_.push_back({made->get_name(), made->get_speed(), static_cast<std::size_t>(made->get_core_count())});
    }
  }

  std::vector<host> const& hosts() const override { return hosts_; }

  topology find_topology() const override {
    crash_guard const guard;
    return net::find_topology(made_);
  }

  std::unique_ptr<network> make_network(std::size_t nodes) override {
    base::require(nodes <= made_.size(), "SimGrid: more nodes than hosts");
    return make_transfers({made_.begin(), made_.begin() + static_cast<std::ptrdiff_t>(nodes)},
                          configured_latency_factor());
  }

 private:
  /// What SimGrid says of a wrong one begins with what is wrong, and goes on with all that it knows.
  static void set(std::string const& key, std::string const& value) try {
    crash_guard const guard;
    std::string const setting = key + ":" + value;
    call([&] { sg::Engine::set_config(setting); });
  } catch (std::exception const& wrong) {  // SimGrid's own, too
    std::string const all = wrong.what();
    throw config_error("network.settings: '" + key + "': '" + value +
                       "': " + all.substr(0, all.find_first_of(".:;!\n")));
  }

  sg::Engine* engine_ = nullptr;
  std::vector<sg::Host*> made_;
  std::vector<host> hosts_;
};

}  // namespace
}  // namespace ovlp::net

extern "C" __attribute__((visibility("default"))) ovlp::net::simgrid_engine* ovlp_make_simgrid_engine(
    ovlp::net::simgrid_machine const& described) {
  return new ovlp::net::engine(described);
}
