// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/overlap_parameters_file.hpp>

#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/base/json_object.hpp>

namespace ovlp::mpi {
namespace {

using base::json_object;
using base::named;
using nlohmann::ordered_json;

constexpr std::array models{named<spmd>{"concurrent", spmd::concurrent}, named<spmd>{"pipelined", spmd::pipelined}};
constexpr std::array transfers{
    named<message_transfer>{"whole", message_transfer::whole},
    named<message_transfer>{"pieces", message_transfer::pieces},
    named<message_transfer>{"whole, read in pieces", message_transfer::whole_read_in_pieces}};
constexpr std::array directions{named<bool>{"ascending", false}, named<bool>{"descending", true}};

template <class Table, class Value>
std::string name_of(Table const& table, Value value) {
  for (auto const& entry : table)
    if (entry.value == value) return std::string(entry.name);
  return {};
}

/// One that may be missing: the first of the table.
template <class Table>
auto choice_or_first(json_object& of, std::string const& key, Table const& table) {
  return of.has(key) ? of.choice(key, table).value : table.front().value;
}

access_order read_order(json_object& message, std::string const& key) {
  access_order order;
  if (!message.has(key)) return order;
  nlohmann::json const& given = message.at(key);
  if (!given.is_array()) {
    order.descending = message.choice(key, directions).value;
    return order;
  }
  std::string const expected = "each whole number from 0 to " + std::to_string(given.size() - 1) + " once";
  if (given.empty()) message.fail(message.path(key), "\"ascending\", \"descending\" or a list of places", given);
  std::vector<bool> taken(given.size());
  for (nlohmann::json const& place : given) {
    bool const good = place.is_number_unsigned() && place < given.size() && !taken[place.get<std::size_t>()];
    if (!good) message.fail(message.path(key), expected, place);
    taken[place.get<std::size_t>()] = true;
    order.places.push_back(place.get<std::uint32_t>());
  }
  return order;
}

independent_work read_independent(json_object of) {
  independent_work work;
  work.after_production_s = of.number("after_production_s", 0, 0);
  work.before_consumption_s = of.number("before_consumption_s", 0, 0);
  work.loop_distribution_s = of.number("loop_distribution_s", 0, 0);
  work.rearranged_s = of.number("rearranged_s", 0, 0);
  work.in_collectives_s = of.number("in_collectives_s", 0, 0);
  work.production_indexing = of.flag("production_indexing", false);
  work.consumption_indexing = of.flag("consumption_indexing", false);
  of.end();
  return work;
}

message_parameters read_message(json_object of) {
  message_parameters read;
  read.name = of.text("name");
  read.per_iteration = of.number_above("per_iteration", 0, 1);
  of.at("sent_words");  // it must be there
  read.sent_words = of.none_or_from("sent_words", 1 / word_bytes);
  read.produced_words = of.number("produced_words", 0);
  read.consumed_words = of.number("consumed_words", 0);
  read.produce_period_s = of.number("produce_period_s", 0);
  read.consume_period_s = of.number("consume_period_s", 0);
  read.production = read_order(of, "production_order");
  read.consumption = read_order(of, "consumption_order");
  std::size_t const pieces = read.production.places.size();
  if (pieces > 0 && !read.consumption.places.empty() && read.consumption.places.size() != pieces) {
    of.fail(of.path("consumption_order"), "as many places as production_order has, " + std::to_string(pieces),
            of.at("consumption_order"));
  }
  read.independent = read_independent(of.object_or_empty("independent"));
  read.model = choice_or_first(of, "model", models);
  read.transfer = choice_or_first(of, "transfer", transfers);
  of.end();
  return read;
}

ordered_json json_of(access_order const& order) {
  if (!order.places.empty()) return order.places;
  return name_of(directions, order.descending);
}

ordered_json json_of(message_parameters const& m) {
  return {{"name", m.name},
          {"per_iteration", m.per_iteration},
          {"model", name_of(models, m.model)},
          {"transfer", name_of(transfers, m.transfer)},
          {"sent_words", m.sent_words},
          {"produced_words", m.produced_words},
          {"consumed_words", m.consumed_words},
          {"produce_period_s", m.produce_period_s},
          {"consume_period_s", m.consume_period_s},
          {"production_order", json_of(m.production)},
          {"consumption_order", json_of(m.consumption)},
          {"independent",
           {{"after_production_s", m.independent.after_production_s},
            {"before_consumption_s", m.independent.before_consumption_s},
            {"loop_distribution_s", m.independent.loop_distribution_s},
            {"rearranged_s", m.independent.rearranged_s},
            {"in_collectives_s", m.independent.in_collectives_s},
            {"production_indexing", m.independent.production_indexing},
            {"consumption_indexing", m.independent.consumption_indexing}}}};
}

}  // namespace

code_parameters read_overlap_parameters(std::string const& file) {
  nlohmann::json const all = base::read_json(file);
  json_object of(all, file);
  code_parameters read{of.text("code"), of.number_above("computation_s", 0), {}, {}};
  of.skip("source");
  for (json_object& message : of.objects("messages")) read.messages.push_back(read_message(std::move(message)));
  if (of.has("collectives")) {
    for (json_object& collective : of.objects("collectives")) {
      read.collectives.push_back({collective.count("processes", 1), collective.number_above("per_iteration", 0)});
      collective.end();
    }
  }
  of.end();
  return read;
}

std::string overlap_parameters_file_of(code_parameters const& of, std::string const& source) {
  ordered_json all{{"code", of.name}, {"source", source}, {"computation_s", of.computation_s}};
  for (message_parameters const& m : of.messages) all["messages"].push_back(json_of(m));
  for (collective_parameters const& c : of.collectives)
    all["collectives"].push_back({{"processes", c.processes}, {"per_iteration", c.per_iteration}});
  return base::json_text(all) + "\n";
}

}  // namespace ovlp::mpi
