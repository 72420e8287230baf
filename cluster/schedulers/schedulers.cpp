// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <ovlp/base/error.hpp>

#include "schedulers/scheduler.hpp"

namespace ovlp::cluster {
namespace {

struct entry {
  std::string_view name;
  std::unique_ptr<scheduler> (*make)();
};
constexpr std::array schedulers{entry{"fcfs", make_fcfs}, entry{"easy", make_easy},
                                entry{"equipartition", make_equipartition}, entry{"efficiency", make_efficiency},
                                entry{"gain", make_gain}};

}  // namespace

std::string scheduler_names() {
  std::string names;
  for (entry const& one : schedulers) names += (names.empty() ? "" : "|") + std::string(one.name);
  return names;
}

std::unique_ptr<scheduler> make_scheduler(std::string const& name, double patience_s) {
  if (name.find('/') != std::string::npos) return make_external(name, patience_s);
  for (entry const& one : schedulers) {
    if (one.name == name) return one.make();
  }
  throw config_error("scheduler: expected " + scheduler_names() + ", or a program such as ./mine.py, got '" + name +
                     "'");
}

}  // namespace ovlp::cluster
