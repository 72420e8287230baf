// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/policies.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/forecast.hpp>
#include <ovlp/analysis/goal.hpp>
#include <ovlp/analysis/known_errors.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp {
namespace {

std::string percent(double ratio) { return base::fixed(100 * ratio, 1) + " %"; }

/// What `ovlp advise` has written beside the plan.
struct advised {
  analysis::goal goal;
  analysis::forecast expected;
  analysis::run_costs as_it_is;
  double change_s;
};

analysis::forecast forecast_of(base::json_object& advice) {
  analysis::forecast expected;
  for (base::json_object& run : advice.objects("forecast")) {
    std::size_t const nodes = run.count("nodes", 1);
    std::vector<double> const times_s = run.numbers("time_s", 0), efficiencies = run.numbers("efficiency", 0);
    run.end();
    if (times_s.size() != efficiencies.size())
      run.fail(run.path("efficiency"), "as many as in time_s", run.at("efficiency"));
    std::vector<analysis::iteration_forecast> iterations;
    for (std::size_t k = 0; k < times_s.size(); ++k) iterations.push_back({times_s[k], efficiencies[k]});
    if (!expected.nodes().empty() && nodes <= expected.nodes().back())
      run.fail(run.path("nodes"), "numbers of nodes in ascending order", run.at("nodes"));
    if (!expected.nodes().empty() && times_s.size() != expected.iterations())
      run.fail(run.path("time_s"), "as many iterations as on " + std::to_string(expected.nodes().front()) + " nodes",
               run.at("time_s"));
    expected.add(nodes, std::move(iterations));
  }
  return expected;
}

std::optional<advised> advised_in(plan const& of) {
  if (of.advice.empty()) return std::nullopt;
  nlohmann::json const content = base::parse_json(of.advice, of.file);
  base::json_object advice(content, of.file, "advice");
  base::json_object costs = advice.object("as_it_is");
  auto const goal = [&] {
    try {
      return analysis::goal::read(advice.text("goal"));
    } catch (config_error const& wrong) {
      throw config_error(of.file + ": advice: " + wrong.what());
    }
  };
  return advised{goal(),
                 forecast_of(advice),
                 {costs.number("time_s", 0), costs.number("held_node_s", 0)},
                 advice.number("change_s", 0)};
}

/// It is one of a run of so many nodes, or more.
void expect_forecast(advised const& with, plan const& of, std::size_t nodes) {
  std::vector<std::size_t> const& known = with.expected.nodes();
  if (known.empty() || known.front() > nodes)
    throw config_error(of.file + ": advice: expected a forecast for up to " + std::to_string(nodes) +
                       " nodes (--nodes), got " +
                       (known.empty() ? "none" : "one from " + std::to_string(known.front()) + " on"));
}

/// The place of the greatest number of nodes in the forecast that is not more.
std::size_t place_of(analysis::forecast const& expected, std::size_t nodes) {
  auto const& known = expected.nodes();
  auto const beyond = std::upper_bound(known.begin(), known.end(), nodes);
  return beyond == known.begin() ? 0 : static_cast<std::size_t>(beyond - known.begin()) - 1;
}

/// Holds as many nodes as the next iteration can use with that efficiency.
class efficiency_threshold final : public policy {
 public:
  efficiency_threshold(double least, plan const& first, std::optional<advised> forecast)
      : least_(least), first_(first), advised_(std::move(forecast)) {}

  held_nodes at_start(std::size_t nodes) const override { return first_.held_in(1, nodes); }

  std::optional<decision> decide(border const& at) override {
    if (!at.efficiency) return std::nullopt;
    auto const next = static_cast<std::size_t>(at.iteration) + 1;
    bool const known = advised_ && next <= advised_->expected.iterations();
    return known ? by_forecast(at, next) : by_measurement(at);
  }

 private:
  /// That of the forecast, scaled as the iteration that was measured was to its own.
  std::optional<decision> by_forecast(border const& at, std::size_t next) const {
    analysis::forecast const& expected = advised_->expected;
    std::size_t const now = place_of(expected, at.held.nodes);
    double const of_this = expected.of(now, next - 1).efficiency.value_or(0);
    double const scale = of_this > 0 && *at.efficiency > 0 ? *at.efficiency / of_this : 1;
    std::size_t chosen = 0;
    double best = 0;
    for (std::size_t i = 0; i < expected.nodes().size() && expected.nodes()[i] <= at.nodes; ++i) {
      double const efficiency = scale * expected.of(i, next).efficiency.value_or(1);
      bool const enough = efficiency >= least_;
      if (!enough && best >= least_) continue;
      if (!enough && efficiency <= best) continue;
      chosen = i;
      best = efficiency;
    }
    return decision{{expected.nodes()[chosen]},
                    "efficiency " + percent(*at.efficiency) + ", forecast of the next iteration " + percent(best) +
                        ", wanted " + percent(least_)};
  }

  /// As if the next iteration kept as many nodes busy as this one: n' = n e / e'. Source: the Horizontal Pod
  /// Autoscaler of Kubernetes. Where that is no more than there are, though they are busy enough, it tries one more,
  /// but not if it has seen that those were not.
  std::optional<decision> by_measurement(border const& at) {
    constexpr double noise = 1e-3;
    std::size_t const held = at.held.nodes;
    seen_[held] = *at.efficiency;
    double const busy = static_cast<double>(held) * *at.efficiency;
    auto wanted = static_cast<std::size_t>(std::max(1.0, std::floor((1 + noise) * busy / least_)));
    auto const more = seen_.find(held + 1);
    auto const enough = [this](double efficiency) { return (1 + noise) * efficiency >= least_; };
    bool const may_try = more == seen_.end() || enough(more->second);
    if (enough(*at.efficiency) && wanted <= held) wanted = may_try ? held + 1 : held;
    return decision{{std::min({wanted, 2 * held, at.nodes})},
                    "efficiency " + percent(*at.efficiency) + ", wanted " + percent(least_)};
  }

  double const least_;
  plan const first_;
  std::optional<advised> const advised_;
  std::map<std::size_t, double> seen_;  ///< efficiency with so many nodes, when they were held last
};

/// Plans what is left anew, with the forecast scaled to what was measured.
class advise_again final : public policy {
 public:
  advise_again(plan const& first, advised with) : first_(first), advised_(std::move(with)) {}

  held_nodes at_start(std::size_t nodes) const override { return first_.held_in(1, nodes); }

  std::optional<decision> decide(border const& at) override {
    analysis::forecast const& expected = advised_.expected;
    auto const ended = static_cast<std::size_t>(at.iteration);
    if (ended >= expected.iterations() || at.time_s <= 0) return std::nullopt;
    for (; expected_to_ < ended; ++expected_to_)
      expected_s_ += expected.of(place_of(expected, at.held.nodes), expected_to_ + 1).time_s;
    double const scale = expected_s_ > 0 ? at.time_s / expected_s_ : 1;

    analysis::run_costs const as_it_is{scale * advised_.as_it_is.time_s, scale * advised_.as_it_is.node_s};
    auto const rank_of = [&](std::vector<std::size_t> const& rest) {
      return advised_.goal.of(whole_run(at, rest, scale), as_it_is);
    };
    std::vector<std::size_t> planned;
    for (std::size_t k = ended + 1; k <= expected.iterations(); ++k)
      planned.push_back(first_.held_in(static_cast<int>(k), at.nodes).nodes);
    std::vector<std::size_t> best = planned;
    constexpr int steps = 16;
    for (int i = 0; i <= steps; ++i) {
      double const w = static_cast<double>(i) / steps;
      analysis::weights const of =
          advised_.goal.weights().value_or(analysis::weights{(1 - w) / as_it_is.time_s, w / as_it_is.node_s});
      std::vector<std::size_t> rest = analysis::best_allocation(
          expected, of, advised_.change_s, advised_.goal.least_efficiency(), ended + 1, at.held.nodes);
      if (rank_of(rest) < rank_of(best)) best = std::move(rest);
    }
    // The plan was simulated, and this is an estimate: it has to gain more than that may be wrong.
    analysis::goal::rank const of_plan = rank_of(planned), of_best = rank_of(best);
    auto const known = analysis::known_error_of(analysis::predicted::saved_node_s);
    double const error = known ? known->below * analysis::spread_of_predictions(0) : 1;
    bool const better = of_best.excess < of_plan.excess || of_best.value < (1 - error) * of_plan.value;
    std::string const measured = "takes " + base::fixed(scale, 3) + " times as long as forecast: ";
    if (!better) return decision{{std::min(planned.front(), at.nodes)}, measured + "as planned"};
    return decision{{std::min(best.front(), at.nodes)}, measured + "planned anew for " + advised_.goal.text()};
  }

 private:
  analysis::run_costs whole_run(border const& at, std::vector<std::size_t> const& rest, double scale) const {
    analysis::run_costs whole{at.time_s, at.held_node_s};
    std::size_t before = at.held.nodes, k = static_cast<std::size_t>(at.iteration);
    for (std::size_t nodes : rest) {
      analysis::iteration_forecast const& of = advised_.expected.of(place_of(advised_.expected, nodes), ++k);
      double const time_s = scale * (of.time_s + (nodes == before ? 0 : advised_.change_s));
      whole.time_s += time_s;
      whole.node_s += time_s * static_cast<double>(nodes);
      whole.least_efficiency = std::min(whole.least_efficiency, of.efficiency.value_or(1));
      before = nodes;
    }
    return whole;
  }

  plan const first_;
  advised const advised_;
  double expected_s_ = 0;        ///< of iterations that have ended, with the nodes that they held
  std::size_t expected_to_ = 0;  ///< the last of them
};

}  // namespace

void policy::ask(border const& at, answer const& then) {
  std::optional<decision> made;
  try {
    made = decide(at);
  } catch (std::exception const& wrong) {
    return then(std::nullopt, wrong.what());
  }
  then(std::move(made), "");
}

std::shared_ptr<policy> make_policy(std::string const& text, plan const& of, std::size_t nodes) {
  constexpr std::string_view threshold = "efficiency>=";
  if (text.empty() || text == "plan") {
    if (!text.empty() && of.file.empty()) throw config_error("--policy plan: expected a plan, --plan FILE");
    return of.changes.empty() ? nullptr : std::make_shared<follow_plan>(of);
  }
  if (text == "advise") {
    auto with = advised_in(of);
    if (!with) throw config_error("--policy advise: expected a plan that 'ovlp advise' has made, --plan FILE");
    expect_forecast(*with, of, nodes);
    return std::make_shared<advise_again>(of, std::move(*with));
  }
  if (text.starts_with(threshold)) {
    double least = 0;
    if (base::read_number(text.substr(threshold.size()), least) && least > 0 && least <= 1) {
      auto with = advised_in(of);
      if (with) expect_forecast(*with, of, nodes);
      return std::make_shared<efficiency_threshold>(least, of, std::move(with));
    }
  }
  throw config_error("--policy: expected plan, advise, or efficiency>=E with E above 0 and up to 1, got " +
                     base::quoted(text));
}

}  // namespace ovlp
