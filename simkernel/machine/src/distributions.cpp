// SPDX-License-Identifier: BSD-3-Clause
#include "distributions.hpp"

#include <array>
#include <cmath>
#include <random>

#include <nlohmann/json.hpp>

#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

using random_source = std::mt19937_64;
using base::json_object;

distribution read_uniform(json_object& from) {
  double const least = from.number("from", 0), most = from.number("to", least);
  return [=](random_source& random) { return std::uniform_real_distribution(least, most)(random); };
}

distribution read_exponential(json_object& from) {
  double const mean = from.number_above("mean", 0);
  return [=](random_source& random) { return std::exponential_distribution(1 / mean)(random); };
}

distribution read_lognormal(json_object& from) {
  double const median = from.number_above("median", 0), deviation = from.number("deviation", 0);
  return [=](random_source& random) { return std::lognormal_distribution(std::log(median), deviation)(random); };
}

distribution read_pareto(json_object& from) {
  double const least = from.number_above("least", 0), shape = from.number_above("shape", 0);
  return [=](random_source& random) {
    return least * std::exp(std::exponential_distribution(shape)(random));  // its logarithm is exponential
  };
}

using known_distribution = base::named<distribution (*)(json_object&)>;
constexpr std::array known_distributions{
    known_distribution{"uniform", read_uniform},
    known_distribution{"exponential", read_exponential},
    known_distribution{"lognormal", read_lognormal},
    known_distribution{"pareto", read_pareto},
};

}  // namespace

distribution read_distribution(json_object& from, std::string const& key) {
  if (from.at(key).is_number()) return [always = number(from, key)](random_source&) { return always; };
  json_object given = from.object(key);
  distribution read = given.choice("name", known_distributions).value(given);
  given.end();
  return read;
}

}  // namespace ovlp::machine
