// SPDX-License-Identifier: BSD-3-Clause
#include "search/request.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::explore {
namespace {

using json = nlohmann::json;

constexpr std::array orders{
    base::named<request::order_type>{"random", request::order_type::random},
    base::named<request::order_type>{"priorities", request::order_type::priorities},
    base::named<request::order_type>{"given", request::order_type::given},
    base::named<request::order_type>{"path", request::order_type::path},
};

json as_json(interleaving const& all) {
  json list = json::array();
  for (held_back const& one : all) list.push_back({one.then, one.first});
  return list;
}

interleaving read_interleaving(json const& list) {
  interleaving all;
  for (json const& one : list) all.push_back({one.at(0).get<std::uint64_t>(), one.at(1).get<std::uint64_t>()});
  return all;
}

json as_json(moments const& all) {
  json list = json::array();
  for (moment const& one : all) {
    json possible = json::array();
    for (choice const& c : one.possible) possible.push_back({c.name, c.source, static_cast<unsigned>(c.kind)});
    list.push_back({std::move(possible), one.chosen, one.touched});
  }
  return list;
}

moments read_moments(json const& list) {
  moments all;
  for (json const& one : list) {
    moment& made = all.emplace_back();
    for (json const& c : one.at(0)) {
      made.possible.push_back({c.at(0).get<std::uint64_t>(), c.at(1).get<std::uint64_t>(),
                               static_cast<choice::kind_type>(c.at(2).get<std::uint8_t>())});
    }
    one.at(1).get_to(made.chosen);
    one.at(2).get_to(made.touched);
    if (made.chosen >= made.possible.size()) throw config_error("a choice that was not possible");
  }
  return all;
}

/// Errors of the library become one of ours.
template <class Read>
auto read_line(std::string const& line, char const* what, Read const& read) {
  try {
    return read(json::parse(line));
  } catch (json::exception const& wrong) {
    throw config_error(std::string(what) + ": " + wrong.what());
  }
}

}  // namespace

std::unique_ptr<strategy> make_strategy(request const& asked) {
  switch (asked.order) {
    case request::order_type::random: return std::make_unique<random_order>(asked.seed);
    case request::order_type::priorities:
      return std::make_unique<priority_order>(asked.seed, asked.depth, asked.length);
    case request::order_type::given: return std::make_unique<given_order>(asked.differs);
    case request::order_type::path: return std::make_unique<path_order>(asked.path);
  }
  return nullptr;
}

std::string text_of(request const& asked) {
  json of{{"order", orders[static_cast<std::size_t>(asked.order)].name},
          {"seed", asked.seed},
          {"depth", asked.depth},
          {"length", asked.length},
          {"differs", as_json(asked.differs)},
          {"moments", asked.moments},
          {"texts", asked.texts},
          {"is_expected", asked.is_expected},
          {"tolerance", asked.tolerance},
          {"most_choices", asked.most_choices},
          {"most_s", asked.most_s}};
  if (asked.order == request::order_type::path) {
    json sleeping = json::array();
    for (asleep const& one : asked.path.sleeping) sleeping.push_back({one.name, one.touched});
    of["path"] = {{"chosen", asked.path.chosen}, {"sleeping", sleeping}, {"reduces", asked.path.reduces}};
  }
  return of.dump();
}

request read_request(std::string const& line) {
  return read_line(line, "a request", [](json const& of) {
    request read;
    json const& order = of.at("order");
    for (auto const& known : orders) {
      if (order == known.name) read.order = known.value;
    }
    of.at("seed").get_to(read.seed);
    of.at("depth").get_to(read.depth);
    of.at("length").get_to(read.length);
    read.differs = read_interleaving(of.at("differs"));
    of.at("moments").get_to(read.moments);
    of.at("texts").get_to(read.texts);
    of.at("is_expected").get_to(read.is_expected);
    of.at("tolerance").get_to(read.tolerance);
    of.at("most_choices").get_to(read.most_choices);
    of.at("most_s").get_to(read.most_s);
    if (of.contains("path")) {
      json const& path = of["path"];
      path.at("chosen").get_to(read.path.chosen);
      for (json const& one : path.at("sleeping")) {
        read.path.sleeping.push_back({one.at(0).get<std::uint64_t>(), one.at(1).get<std::vector<resource>>()});
      }
      path.at("reduces").get_to(read.path.reduces);
    }
    return read;
  });
}

std::string text_of(answer const& given) {
  json texts = json::array();
  for (auto const& [name, text] : given.texts) texts.push_back({name, text});
  return json{
      {"failure", given.outcome.failure},   {"results", given.outcome.results},   {"choices", given.outcome.choices},
      {"given_up", given.outcome.given_up}, {"too_slow", given.outcome.too_slow}, {"seconds", given.outcome.seconds},
      {"moments", as_json(given.moments)},  {"texts", std::move(texts)},          {"objects", given.objects}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

answer read_answer(std::string const& line) {
  return read_line(line, "an answer", [](json const& of) {
    answer read;
    of.at("failure").get_to(read.outcome.failure);
    of.at("results").get_to(read.outcome.results);
    of.at("choices").get_to(read.outcome.choices);
    of.at("given_up").get_to(read.outcome.given_up);
    of.at("too_slow").get_to(read.outcome.too_slow);
    of.at("seconds").get_to(read.outcome.seconds);
    read.moments = read_moments(of.at("moments"));
    for (json const& one : of.at("texts")) {
      read.texts.emplace_back(one.at(0).get<std::uint64_t>(), one.at(1).get<std::string>());
    }
    of.at("objects").get_to(read.objects);
    return read;
  });
}

}  // namespace ovlp::explore
