// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/report/run_figures.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/analysis/dynamic_efficiency.hpp>
#include <ovlp/analysis/matched_calls.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/records/names.hpp>

#include "node_use.hpp"
#include "page.hpp"
#include "timeline.hpp"

namespace ovlp::report {

using json = nlohmann::ordered_json;

namespace {

/// No operation's wait: steps whose processor had others to serve.
constexpr std::size_t processor = wait_cause_names.size();

/// The platform of a simulation; null of what is none.
json platform_of(run_facts const& about) {
  return about.contains("platform") ? json::parse(about.at("platform"), nullptr, false) : json(nullptr);
}

/// The bandwidth of each node's link, of platforms on which all have the same.
std::optional<double> link_of(json const& platform) {
  if (!platform.is_object() || !platform.contains("network")) return std::nullopt;
  json const& network = platform.at("network");
  if (!network.is_object() || !network.contains("bandwidth_Bps") || !network.at("bandwidth_Bps").is_number())
    return std::nullopt;
  for (json const& kind : platform.value("nodes", json::array()))
    if (kind.is_object() && kind.contains("link")) return std::nullopt;
  return network.at("bandwidth_Bps").get<double>();
}

/// What a call did.
struct call_figures {
  std::uint64_t steps = 0, objects = 0, bytes = 0, controls = 0;
  double work_s = 0, waited_s = 0;
};
/// What went along an edge of a graph: from an operation of all graphs and its port to another; none: the result.
using edge = std::tuple<std::uint32_t, std::uint32_t, std::optional<std::uint32_t>>;
struct edge_figures {
  std::uint64_t objects = 0;   ///< that were posted
  std::uint64_t messages = 0;  ///< of them, to another node
  std::uint64_t bytes = 0;     ///< of those
};
/// How long operations waited, by operation and cause.
using waits = std::map<std::pair<std::uint32_t, std::size_t>, run_totals::waits>;

void add_wait(run_totals::waits& to, double waited_s) {
  ++to.count;
  to.total_s += waited_s;
  to.longest_s = std::max(to.longest_s, waited_s);
}

class description {
 public:
  explicit description(run_figures const& of)
      : figures_(of), run_(of.run), totals_(of.totals), steps_(run_), calls_(run_) {
    if (!run_.undefined.empty()) throw io_error(run_.undefined);
    for (run_definitions::graph const& g : run_.names.graphs)
      first_operation_.push_back(first_operation_.back() + static_cast<std::uint32_t>(g.operations.size()));
  }
  json as_json(columns& into, analysis::matched_calls const& among) const;

 private:
  std::uint32_t operation_of(recorded_run::place const& at) const {
    recorded_run::purpose const& what = run_.purposes[at.purpose];
    return first_operation_[what.graph] + what.operation;
  }
  std::uint32_t node_of(recorded_run::place const& at) const { return run_.residences[at.residence].node; }
  std::uint64_t call_of(recorded_run::place const& at) const { return run_.purposes[at.purpose].call; }
  /// An operation of a graph, among those of all; none: it is none, but the result.
  std::optional<std::uint32_t> inside(std::uint32_t graph, std::uint32_t operation) const {
    if (operation >= run_.names.graphs[graph].operations.size()) return std::nullopt;
    return first_operation_[graph] + operation;
  }

  std::pair<double, double> begin_and_end() const;
  json operations() const;
  std::optional<std::map<std::uint64_t, call_figures>> figures_of_calls() const;
  json edges() const;
  json pairs(columns& into) const;
  json described_calls(double zero_s, double end_s, std::vector<double> const& reference_cores,
                       std::vector<analysis::call_name> const& compared) const;
  json held(double zero_s) const;
  json decided(double zero_s) const;
  json use(columns& into, double begin_s, double end_s) const;
  json waiting() const;

  run_figures const& figures_;
  recorded_run const& run_;
  std::optional<run_totals> const& totals_;
  std::vector<std::uint32_t> first_operation_{0};  ///< of each graph, among those of all
  timeline const steps_;
  analysis::call_list const calls_;
};

/// From the first that is known of the run to the last.
std::pair<double, double> description::begin_and_end() const {
  double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s;
  auto const take = [&](double from_s, double to_s) {
    first_s = std::min(first_s, from_s);
    last_s = std::max(last_s, to_s);
  };
  for (recorded_run::step const& s : run_.steps) take(s.start_s, s.end_s);
  for (analysis::run_call const& c : calls_.all()) take(c.start_s, c.end_s.value_or(c.start_s));
  for (node_record const& r : run_.nodes)
    if (r.change == node_change::launched) take(r.at_s, r.at_s);
  return first_s <= last_s ? std::pair(first_s, last_s) : std::pair(0.0, 0.0);
}

json description::operations() const {
  std::vector<run_totals::operation> all(first_operation_.back());
  if (totals_) {
    for (std::size_t g = 0; g < totals_->operations.size(); ++g)
      std::ranges::copy(totals_->operations[g], all.begin() + first_operation_[g]);
  }
  for (recorded_run::step const& s : run_.steps) {
    run_totals::operation& of = all[operation_of(s.at)];
    ++of.steps;
    of.computed_s += s.computed_s;
    of.work_s += s.work_s;
  }
  json made = json::array();
  for (std::size_t g = 0; g < run_.names.graphs.size(); ++g) {
    for (run_definitions::operation const& is : run_.names.graphs[g].operations) {
      run_totals::operation const& of = all[made.size()];
      made.push_back({{"graph", g},
                      {"name", is.name},
                      {"kind", is.kind},
                      {"collection", is.collection},
                      {"steps", of.steps},
                      {"computed_s", of.computed_s},
                      {"work_s", of.work_s}});
    }
  }
  return made;
}

json description::edges() const {
  std::map<edge, edge_figures> all;
  for (std::uint32_t o = 0; o < run_.objects.size(); ++o) {
    recorded_run::object const& of = run_.objects[o];
    if (!of.was_posted()) continue;
    std::uint32_t const graph = run_.purposes[of.by.purpose].graph;
    edge_figures& along = all[{operation_of(of.by), of.port, inside(graph, of.key.operation)}];
    ++along.objects;
    if (of.to_node == node_of(of.by)) continue;
    for (recorded_run::message const& m : run_.messages_of(o)) {
      if (!recorded_run::is_known(m.sent_s)) continue;
      ++along.messages;
      along.bytes += m.bytes;
      break;  // it is sent on after its thread, if there are more
    }
  }
  if (totals_) {
    for (auto const& [way, objects] : totals_->posted) {
      auto const& [graph, operation, port, to] = way;
      all[{first_operation_.at(graph) + operation, port, inside(graph, to)}].objects += objects;
    }
  }
  json made = json::array();
  for (auto const& [way, what] : all) {
    auto const& [from, port, to] = way;
    made.push_back({{"from", from}, {"port", port}, {"to", nullptr}});
    if (to) made.back()["to"] = *to;
    made.back()["objects"] = what.objects;
    made.back()["messages"] = what.messages;
    made.back()["bytes"] = what.bytes;
  }
  return made;
}

json description::pairs(columns& into) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, run_totals::messages> all;
  if (totals_) all = {totals_->sent.begin(), totals_->sent.end()};
  for (recorded_run::message const& m : run_.messages) {
    if (!recorded_run::is_known(m.sent_s)) continue;
    run_totals::messages& between = all[{m.source, m.destination}];
    ++(m.object == recorded_run::none ? between.controls : between.objects);
    between.bytes += m.bytes;
  }
  std::vector<std::uint32_t> sources, destinations, objects, controls;
  std::vector<double> bytes;
  for (auto const& [who, what] : all) {
    sources.push_back(who.first);
    destinations.push_back(who.second);
    bytes.push_back(static_cast<double>(what.bytes));
    objects.push_back(static_cast<std::uint32_t>(what.objects));
    controls.push_back(static_cast<std::uint32_t>(what.controls));
  }
  return {{"source", into.add(sources)},
          {"destination", into.add(destinations)},
          {"bytes", into.add(bytes)},
          {"objects", into.add(objects)},
          {"controls", into.add(controls)}};
}

/// Of each call; none where only sums of several calls are known.
std::optional<std::map<std::uint64_t, call_figures>> description::figures_of_calls() const {
  std::map<std::uint64_t, call_figures> all;
  if (totals_) {
    if (calls_.all().size() != 1) return std::nullopt;
    call_figures& only = all[calls_.all().front().call];
    for (auto const& of_graph : totals_->operations) {
      for (run_totals::operation const& of : of_graph) {
        only.steps += of.steps;
        only.work_s += of.work_s;
      }
    }
    for (auto const& [pair, of] : totals_->sent) {
      only.objects += of.objects;
      only.bytes += of.bytes;
      only.controls += of.controls;
    }
    for (auto const& [what, of] : totals_->waited) only.waited_s += of.total_s;
  }
  for (recorded_run::step const& s : run_.steps) {
    call_figures& of = all[call_of(s.at)];
    ++of.steps;
    of.work_s += s.work_s;
  }
  for (recorded_run::wait const& w : run_.waits) all[call_of(w.at)].waited_s += w.end_s - w.start_s;
  for (recorded_run::message const& m : run_.messages) {
    if (!recorded_run::is_known(m.sent_s)) continue;
    call_figures& of = all[m.call];
    ++(m.object == recorded_run::none ? of.controls : of.objects);
    of.bytes += m.bytes;
  }
  return all;
}

/// With efficiencies, as the analysis of simulations computes them.
json description::described_calls(double zero_s, double end_s, std::vector<double> const& reference_cores,
                                  std::vector<analysis::call_name> const& compared) const {
  analysis::dynamic_efficiency found(reference_cores);
  for (node_record const& r : run_.nodes) found.node(r);
  for (std::uint32_t const s : run_.steps_by_end()) found.step(run_.record_of(run_.steps[s]));
  if (totals_) {
    for (auto const& [call, of] : totals_->calls) found.add(call, of.iterations, of.over_time);
  }
  auto known = figures_of_calls();
  std::set<analysis::call_name> const are_compared(compared.begin(), compared.end());
  json all = json::array();
  for (analysis::run_call const& of : calls_.all()) {
    std::uint64_t const call = of.call;
    double const call_end_s = of.end_s.value_or(end_s);
    analysis::dynamic_efficiency::report figures = found.take(call, of.start_s, call_end_s);
    // Efficiency is that of a call from its begin to its result; of one that has failed there is none.
    bool const counts = of.end_s || !figures_.failed;
    if (!counts) figures.windows.clear();
    auto const or_null = [&](std::optional<double> const& value) {
      return value && counts ? json(*value) : json(nullptr);
    };
    json iterations = json::array(), windows = json::array();
    for (analysis::iteration_efficiency const& i : figures.iterations) {
      iterations.push_back({{"index", i.index},
                            {"start_s", i.start_s - zero_s},
                            {"end_s", i.end_s - zero_s},
                            {"interval_start_s", i.interval_start_s - zero_s},
                            {"interval_end_s", i.interval_end_s - zero_s},
                            {"work_s", i.work_s},
                            {"interval_work_s", i.interval_work_s},
                            {"nodes", i.nodes},
                            {"efficiency", or_null(i.efficiency)},
                            {"interval_efficiency", or_null(i.interval_efficiency)}});
      if (auto const of_this = figures_.iteration_metrics.find({call, i.index});
          of_this != figures_.iteration_metrics.end()) {
        iterations.back()["load_balance"] = of_this->second.load_balance;
        iterations.back()["communication"] = of_this->second.communication;
      }
    }
    for (analysis::window_efficiency const& w : figures.windows)
      windows.push_back({w.start_s - zero_s, w.end_s - zero_s, w.efficiency});
    all.push_back({{"call", call},
                   {"graph", of.graph},
                   {"name", of.name.text()},
                   {"compared", are_compared.contains(of.name)},
                   {"ended", of.end_s.has_value()},
                   {"start_s", of.start_s - zero_s},
                   {"end_s", call_end_s - zero_s},
                   {"efficiency", or_null(figures.efficiency)},
                   {"iterations", std::move(iterations)},
                   {"windows", std::move(windows)}});
    if (known) {
      call_figures const& did = (*known)[call];
      all.back()["figures"] = {{"steps", did.steps}, {"work_s", did.work_s},     {"objects", did.objects},
                               {"bytes", did.bytes}, {"controls", did.controls}, {"waited_s", did.waited_s}};
    }
  }
  return all;
}

json description::held(double zero_s) const {
  json all = json::array();
  for (node_record const& r : run_.nodes) {
    if (r.change == node_change::joined) continue;
    all.push_back({r.at_s - zero_s, r.node, r.change == node_change::launched});
  }
  return all;
}

json description::decided(double zero_s) const {
  json all = json::array();
  for (recorded_run::decision const& d : run_.decisions)
    all.push_back({{"iteration", d.iteration}, {"nodes", d.nodes}, {"reason", d.reason}, {"at_s", d.at_s - zero_s}});
  return all;
}

json description::use(columns& into, double begin_s, double end_s) const {
  double const duration_s = end_s - begin_s;
  node_use computing(run_.names.nodes, begin_s, duration_s), out(computing), in(computing);
  for (recorded_run::step const& s : run_.steps) computing.add(node_of(s.at), s.start_s, s.end_s, s.computed_s);
  for (std::uint32_t n = 0; totals_ && n < totals_->nodes.size(); ++n) {
    work_over_time const& work = totals_->nodes[n];
    for (std::size_t i = 0; i < work.bins_s.size(); ++i) {
      double const from_s = work.origin_s + static_cast<double>(i) * work.width_s;
      computing.add(n, from_s, from_s + work.width_s, work.bins_s[i]);
    }
  }
  for (recorded_run::message const& m : run_.messages) {
    bool const crossed = m.crossing != recorded_run::none;
    if (!crossed && (run_.simulated() || !recorded_run::is_known(m.sent_s))) continue;
    double from_s = m.sent_s, to_s = m.sent_s;  // of a real run no more is known
    if (crossed) {
      from_s = run_.crossings[m.crossing].started_s;
      to_s = run_.crossings[m.crossing].crossed_s;
    }
    out.add(m.source, from_s, to_s, static_cast<double>(m.bytes));
    in.add(m.destination, from_s, to_s, static_cast<double>(m.bytes));
  }
  json made{{"bins", computing.bins()},
            {"cores", computing.pack(into)},
            {"out_Bps", out.pack(into)},
            {"in_Bps", in.pack(into)}};
  if (auto const bandwidth = link_of(platform_of(figures_.about))) made["link_Bps"] = *bandwidth;
  return made;
}

json description::waiting() const {
  json all = json::array();
  waits found;
  if (totals_) {
    for (auto const& [what, of] : totals_->waited) {
      auto const& [graph, operation, cause] = what;
      found[{first_operation_.at(graph) + operation, static_cast<std::size_t>(cause)}] = of;
    }
  }
  for (recorded_run::wait const& w : run_.waits)
    add_wait(found[{operation_of(w.at), static_cast<std::size_t>(w.cause)}], w.end_s - w.start_s);
  for (recorded_run::step const& s : run_.steps) {
    double const waited_s = s.end_s - s.start_s - s.computed_s;
    if (waited_s > 1e-9) add_wait(found[{operation_of(s.at), processor}], waited_s);  // rounded, if no more
  }
  for (auto const& [what, of] : found) {
    all.push_back({{"operation", what.first},
                   {"cause", what.second == processor ? "processor" : wait_cause_names.at(what.second)},
                   {"count", of.count},
                   {"total_s", of.total_s},
                   {"longest_s", of.longest_s}});
  }
  return all;
}

json description::as_json(columns& into, analysis::matched_calls const& among) const {
  auto const [begin_s, end_s] = begin_and_end();
  double zero_s = begin_s;  // of what the page shows
  if (among.others.size() > 1 && !among.common.empty()) zero_s = calls_.find(among.common.front())->start_s;
  run_definitions const& names = run_.names;
  std::vector<double> reference_cores = names.capacities;
  reference_cores.resize(names.nodes);
  bool const knows_cores = std::find(reference_cores.begin(), reference_cores.end(), 0.0) == reference_cores.end();
  std::replace(reference_cores.begin(), reference_cores.end(), 0.0, figures_.cores_otherwise);

  json made{
      {"name", figures_.name}, {"application", names.application}, {"backend", names.backend}, {"nodes", names.nodes}};
  run_facts const& about = figures_.about;
  if (about.contains("version")) made["version"] = about.at("version");
  if (auto const platform = platform_of(about); platform.is_object()) made["platform"] = platform.value("name", "");
  if (about.contains("arguments")) made["arguments"] = json::parse(about.at("arguments"), nullptr, false);
  made["notes"] = figures_.notes;
  if (!figures_.reservation.empty()) made["reservation"] = figures_.reservation;
  made["begin_s"] = begin_s - zero_s;
  made["duration_s"] = end_s - begin_s;
  made["reference_cores"] = reference_cores;
  made["knows_cores"] = knows_cores;
  made["collections"] = names.collections;
  made["graphs"] = json::array();
  for (run_definitions::graph const& g : run_.names.graphs) made["graphs"].push_back(g.name);
  made["operations"] = operations();
  made["edges"] = edges();
  made["calls"] = described_calls(zero_s, end_s, reference_cores, among.compared);
  made["held"] = held(zero_s);
  made["decisions"] = decided(zero_s);
  made["use"] = use(into, begin_s, end_s);
  made["waits"] = waiting();
  made["pairs"] = pairs(into);
  made["steps"] = steps_.pack(into, begin_s, first_operation_);
  if (!figures_.metrics.empty()) {
    made["metrics"] = json::array();
    for (metric const& m : figures_.metrics)
      made["metrics"].push_back({{"name", m.name}, {"value", m.value}, {"unit", m.unit}, {"meaning", m.meaning}});
  }
  if (!figures_.critical_path.empty()) {
    made["critical_path"] = json::array();
    for (path_part const& p : figures_.critical_path) {
      if (auto const row = steps_.find({p.collection, p.thread, p.node}))
        made["critical_path"].push_back({*row, p.start_s - zero_s, p.end_s - zero_s});
    }
    made["path_costs"] = json::array();
    for (path_cost const& c : figures_.path_costs)
      made["path_costs"].push_back({{"of", c.of}, {"name", c.name}, {"seconds", c.seconds}});
  }
  return made;
}

}  // namespace

json describe(run_figures const& what, columns& into, analysis::matched_calls const& among) {
  return description(what).as_json(into, among);
}

}  // namespace ovlp::report
