// SPDX-License-Identifier: BSD-3-Clause
#include "straggler.hpp"

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::lab::validate {

using nlohmann::json;

std::string straggler::text() const {
  std::string all = "node=" + std::to_string(node) + (is_link ? ",bandwidth=" : ",speed=") + base::shortest(factor);
  if (from_s > 0) all += ",from_s=" + base::shortest(from_s);
  if (to_s) all += ",to_s=" + base::shortest(*to_s);
  return all;
}

json with_straggler(json platform, straggler const& slow) {
  json nodes = json::array();
  auto const add = [&](json kind, std::size_t count) {
    if (count == 0) return;
    kind["count"] = count;
    nodes.push_back(std::move(kind));
  };
  std::size_t first = 0;
  for (json const& kind : platform.at("nodes")) {
    std::size_t const count = kind.at("count");
    if (slow.node < first || slow.node >= first + count) {
      add(kind, count);
    } else {
      json over_time = {{slow.from_s, slow.factor}};
      if (slow.to_s) over_time.push_back({*slow.to_s, 1});
      json its = kind;
      if (slow.is_link) its["link"]["bandwidth_over_time"] = over_time;
      else its["speed_over_time"] = over_time;
      add(kind, slow.node - first);
      add(its, 1);
      add(kind, first + count - slow.node - 1);
    }
    first += count;
  }
  if (slow.node >= first)
    throw config_error("the straggler is node " + std::to_string(slow.node) + " of a platform of " +
                       std::to_string(first));
  platform["nodes"] = nodes;
  return platform;
}

}  // namespace ovlp::lab::validate
