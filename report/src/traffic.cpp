// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <nlohmann/json.hpp>

namespace ovlp::report {

void traffic::post(post_record const& r, std::uint32_t from, std::optional<std::uint32_t> to) {
  edge& along = edges_[{from, r.port, to}];
  ++along.objects;
  if (r.to_node != r.at.node) edge_of_object_[r.object] = &along;
}

void traffic::send(send_record const& r) {
  pair& between = pairs_[{r.source, r.destination}];
  if (r.kind == message_kind::control) {
    ++between.controls;
    return;
  }
  ++between.objects;
  between.bytes += static_cast<double>(r.bytes);
  auto const found = edge_of_object_.find(r.object);
  if (found == edge_of_object_.end()) return;  // a state that moves; or an object that is sent on after its thread
  ++found->second->messages;
  found->second->bytes += r.bytes;
  edge_of_object_.erase(found);
}

void traffic::posted(std::uint32_t from, std::uint32_t port, std::optional<std::uint32_t> to, std::uint64_t objects) {
  edges_[{from, port, to}].objects += objects;
}

void traffic::sent(std::uint32_t source, std::uint32_t destination, run_totals::messages const& what) {
  pair& between = pairs_[{source, destination}];
  between.objects += static_cast<std::uint32_t>(what.objects);
  between.controls += static_cast<std::uint32_t>(what.controls);
  between.bytes += static_cast<double>(what.bytes);
}

nlohmann::ordered_json traffic::pack_pairs(columns& into) const {
  std::vector<std::uint32_t> sources, destinations, objects, controls;
  std::vector<double> bytes;
  for (auto const& [who, what] : pairs_) {
    sources.push_back(who.first);
    destinations.push_back(who.second);
    bytes.push_back(what.bytes);
    objects.push_back(what.objects);
    controls.push_back(what.controls);
  }
  return {{"source", into.add(sources)},
          {"destination", into.add(destinations)},
          {"bytes", into.add(bytes)},
          {"objects", into.add(objects)},
          {"controls", into.add(controls)}};
}

nlohmann::ordered_json traffic::edges() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (auto const& [way, what] : edges_) {
    auto const& [from, port, to] = way;
    nlohmann::ordered_json made{{"from", from}, {"port", port}, {"to", nullptr}};
    if (to) made["to"] = *to;
    made["objects"] = what.objects;
    made["messages"] = what.messages;
    made["bytes"] = what.bytes;
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace ovlp::report
