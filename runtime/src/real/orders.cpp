// SPDX-License-Identifier: BSD-3-Clause
#include "orders.hpp"

#include <unistd.h>

#include <exception>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::real {
namespace {

using nlohmann::ordered_json;

ordered_json status(std::string const& application, borders& at_borders) {
  borders::state const now = at_borders.now();
  ordered_json says{{"application", application},
                    {"pid", ::getpid()},
                    {"nodes", now.nodes},
                    {"held", now.held.nodes},
                    {"iteration", now.iteration}};
  says["ordered"] = now.ordered ? ordered_json(*now.ordered) : ordered_json(nullptr);
  return says;
}

}  // namespace

std::string answer_order(std::string const& line, std::string const& application, borders& at_borders) {
  try {
    nlohmann::json const content = base::parse_json(line, "order");
    base::json_object order(content, "order");
    std::string const what = order.text("do");
    if (what == "hold") {
      std::size_t const nodes = order.count("nodes", 1);
      order.end();
      at_borders.order(nodes);
    } else if (what == "follow") {
      order.end();
      at_borders.order(std::nullopt);
    } else if (what == "status") {
      order.end();
    } else {
      throw config_error("order: do: expected hold, follow or status, got '" + what + "'");
    }
    return status(application, at_borders).dump();
  } catch (std::exception const& wrong) {
    return ordered_json{{"error", wrong.what()}}.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
}

}  // namespace ovlp::real
