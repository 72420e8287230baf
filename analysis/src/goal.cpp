// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/analysis/goal.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::analysis {
namespace {

[[noreturn]] void refuse(std::string const& text, std::string const& expected) {
  throw config_error("goal: expected " + expected + ", got " + base::quoted(text));
}

/// The number between `before` and `after`, if the text is that.
std::optional<double> number_between(std::string_view text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) || text.size() < before.size() + after.size())
    return std::nullopt;
  text = text.substr(before.size(), text.size() - before.size() - after.size());
  double number = 0;
  constexpr double most = 1e15;  // so that no product of two is infinite
  return base::read_number(text, number) && number >= 0 && number <= most ? std::optional(number) : std::nullopt;
}

}  // namespace

goal goal::read(std::string const& text) {
  goal made;
  made.text_ = text;
  if (auto const more = number_between(text, "time<=+", "%")) {
    made.kind_ = kind::node_s;
    made.bound_ = *more / 100;
  } else if (auto const budget = number_between(text, "node-seconds<=", "")) {
    made.kind_ = kind::time;
    made.bound_ = *budget;
    if (*budget == 0) refuse(text, "a budget above 0");
  } else if (auto const least = number_between(text, "efficiency>=", "")) {
    made.kind_ = kind::efficiency;
    made.bound_ = *least;
    if (*least > 1) refuse(text, "an efficiency of at most 1");
  } else if (std::size_t const plus = text.find('+'); text.starts_with("cost=") && plus != std::string::npos) {
    made.kind_ = kind::cost;
    auto const of_node_s = number_between(text.substr(0, plus), "cost=", "/node-second");
    auto const of_time = number_between(text.substr(plus), "+", "/second");
    if (!of_node_s || !of_time || *of_node_s + *of_time == 0)
      refuse(text, "cost=PRICE/node-second+PRICE/second, with prices from 0");
    made.prices_ = {*of_time, *of_node_s};
  } else {
    refuse(text, "time<=+PERCENT%, node-seconds<=NUMBER, efficiency>=NUMBER or cost=PRICE/node-second+PRICE/second");
  }
  return made;
}

double goal::value(run_costs const& run) const {
  switch (kind_) {
    case kind::node_s: return run.node_s;
    case kind::time:
    case kind::efficiency: return run.time_s;
    case kind::cost: return prices_.of_time * run.time_s + prices_.of_node_s * run.node_s;
  }
  return 0;
}

std::optional<double> goal::distance(run_costs const& run, run_costs const& as_it_is) const {
  if (kind_ == kind::node_s) return std::abs(run.time_s / (as_it_is.time_s * (1 + bound_)) - 1);
  if (kind_ == kind::time) return std::abs(run.node_s / bound_ - 1);
  return std::nullopt;
}

goal::rank goal::of(run_costs const& run, run_costs const& as_it_is) const {
  double excess = 0;
  if (kind_ == kind::node_s) excess = run.time_s / (as_it_is.time_s * (1 + bound_)) - 1;
  if (kind_ == kind::time) excess = run.node_s / bound_ - 1;
  if (kind_ == kind::efficiency) excess = bound_ - run.least_efficiency;
  constexpr double rounding = 1e-9;
  return {excess > rounding ? excess : 0, value(run), kind_ == kind::node_s ? run.time_s : run.node_s};
}

std::optional<weights> goal::weights() const { return kind_ == kind::cost ? std::optional(prices_) : std::nullopt; }

}  // namespace ovlp::analysis
