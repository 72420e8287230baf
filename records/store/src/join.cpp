// SPDX-License-Identifier: BSD-3-Clause
#include "join.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/store/clock_fit.hpp>
#include <ovlp/store/open_run.hpp>

#include "run_recorder.hpp"
#include "schema.hpp"

namespace ovlp {
namespace {

namespace fs = std::filesystem;
using store::clock_correction;

struct kept_kernel {
  kernel_record record;  // name and sizes are those below
  std::string const* name;
  std::vector<std::int64_t> const* sizes;
};

/// All records of a part.
class part final : public record_sink {
 public:
  explicit part(std::string const& file) : stored_(file) { damage = stored_.read(*this); }

  void step(step_record const& r) override { steps.push_back(r); }
  void kernel(kernel_record const& r) override {
    auto const& [name, sizes] = *names_.emplace(r.name, std::vector(r.sizes.begin(), r.sizes.end())).first;
    kernels.push_back({r, &name, &sizes});
  }
  void wait(wait_record const& r) override { waits.push_back(r); }
  void post(post_record const& r) override { posts.push_back(r); }
  void send(send_record const& r) override { sends.push_back(r); }
  void delivery(delivery_record const& r) override { deliveries.push_back(r); }
  void node(node_record const& r) override { nodes.push_back(r); }
  void mapping(mapping_record const& r) override {
    mappings.emplace_back(r, std::vector(r.nodes.begin(), r.nodes.end()));
  }
  void decision(decision_record const& r) override { decisions.emplace_back(r, r.reason); }
  void call(call_record const& r) override { calls.push_back(r); }

  run_definitions const& definitions() const { return stored_.definitions(); }
  run_facts const& about() const { return stored_.about(); }
  bool totals_only() const { return stored_.totals_only(); }
  run_totals totals() const { return stored_.totals(); }
  bool complete() const { return stored_.complete() && damage.empty(); }

  /// From now on times are those of the run.
  void correct(clock_correction const& by) {
    auto const each = [&](auto& rows, auto... times) {
      for (auto& r : rows) ((r.*times = by(r.*times)), ...);
    };
    each(steps, &step_record::start_s, &step_record::end_s);
    each(waits, &wait_record::start_s, &wait_record::end_s);
    each(posts, &post_record::at_s);
    each(sends, &send_record::at_s);
    each(deliveries, &delivery_record::at_s);
    each(nodes, &node_record::at_s);
    each(calls, &call_record::at_s);
    for (kept_kernel& k : kernels) {
      k.record.start_s = by(k.record.start_s);
      k.record.end_s = by(k.record.end_s);
    }
    for (auto& [r, on] : mappings) r.at_s = by(r.at_s);
    for (auto& [r, reason] : decisions) r.at_s = by(r.at_s);
  }

  std::string damage;
  std::vector<step_record> steps;
  std::vector<kept_kernel> kernels;
  std::vector<wait_record> waits;
  std::vector<post_record> posts;
  std::vector<send_record> sends;
  std::vector<delivery_record> deliveries;
  std::vector<node_record> nodes;
  std::vector<std::pair<mapping_record, std::vector<std::uint32_t>>> mappings;
  std::vector<std::pair<decision_record, std::string>> decisions;
  std::vector<call_record> calls;

 private:
  stored_run const stored_;
  std::set<std::pair<std::string, std::vector<std::int64_t>>> names_;
};

std::string fact(part const& of, std::string const& name) {
  auto const found = of.about().find(name);
  return found == of.about().end() ? "" : found->second;
}

using parts = std::vector<std::unique_ptr<part>>;
using message = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

message message_of(object_key const& object, std::uint32_t source, std::uint32_t destination) {
  return {object.group, object.place, object.operation, source, destination};
}

/// What the messages between a part and those with the run's clock say of its clock.
struct bounds {
  std::vector<store::clock_bound> at_least, at_most;
  std::size_t pairs() const { return std::min(at_least.size(), at_most.size()); }
};

/// Corrects the clocks of those that have another than node 0; first of those that have talked most with the corrected
/// ones. Returns what was done.
nlohmann::json correct_clocks(parts const& all) {
  std::map<message, double> sent, delivered;  // by those whose clock is the run's
  std::vector<part*> others;
  auto const settle = [&](part const& p) {
    for (send_record const& r : p.sends) {
      if (r.kind == message_kind::object) sent.emplace(message_of(r.object, r.source, r.destination), r.at_s);
    }
    for (delivery_record const& r : p.deliveries) {
      if (r.kind == message_kind::object) delivered.emplace(message_of(r.object, r.source, r.destination), r.at_s);
    }
  };
  std::string const first = fact(*all.front(), "clock");
  for (auto const& p : all) {
    if (p == all.front() || (!first.empty() && fact(*p, "clock") == first)) {
      settle(*p);
    } else {
      others.push_back(p.get());
    }
  }
  auto const bounds_of = [&](part const& p) {
    bounds found;
    for (delivery_record const& r : p.deliveries) {
      auto const at = sent.find(message_of(r.object, r.source, r.destination));
      if (at != sent.end()) found.at_least.push_back({r.at_s, at->second - r.at_s});
    }
    for (send_record const& r : p.sends) {
      auto const at = delivered.find(message_of(r.object, r.source, r.destination));
      if (at != delivered.end()) found.at_most.push_back({r.at_s, at->second - r.at_s});
    }
    return found;
  };
  auto corrections = nlohmann::json::array();
  while (!others.empty()) {
    std::vector<bounds> known;
    for (part const* p : others) known.push_back(bounds_of(*p));
    auto const most = std::ranges::max_element(known, {}, &bounds::pairs) - known.begin();
    part& next = *others[static_cast<std::size_t>(most)];
    auto& [at_least, at_most] = known[static_cast<std::size_t>(most)];
    clock_correction const by = store::fit_clock(std::move(at_least), std::move(at_most));
    next.correct(by);
    settle(next);
    others.erase(others.begin() + most);
    corrections.push_back(
        {{"node", next.definitions().node}, {"offset_s", by.offset_s}, {"drift", by.drift}, {"error_s", by.error_s}});
  }
  return corrections;
}

/// The rows of all parts, in the order of this time.
template <class Row, class Time>
std::vector<Row const*> in_order(parts const& all, std::vector<Row> part::*rows, Time const& time) {
  std::vector<Row const*> sorted;
  for (auto const& p : all) {
    for (Row const& r : (*p).*rows) sorted.push_back(&r);
  }
  std::ranges::stable_sort(sorted, {}, [&](Row const* r) { return time(*r); });
  return sorted;
}

void write(parts const& all, record_sink& to) {
  auto const end = [](auto const& r) { return r.end_s; };
  auto const at = [](auto const& r) { return r.at_s; };
  for (node_record const* r : in_order(all, &part::nodes, at)) to.node(*r);
  for (auto const* r : in_order(all, &part::mappings, [](auto const& m) { return m.first.at_s; })) {
    mapping_record changed = r->first;
    changed.nodes = r->second;
    to.mapping(changed);
  }
  for (auto const* r : in_order(all, &part::decisions, [](auto const& d) { return d.first.at_s; })) {
    decision_record made = r->first;
    made.reason = r->second;
    to.decision(made);
  }
  for (call_record const* r : in_order(all, &part::calls, at)) to.call(*r);
  for (kept_kernel const* k : in_order(all, &part::kernels, [](auto const& kernel) { return kernel.record.end_s; })) {
    kernel_record r = k->record;
    r.name = *k->name;
    r.sizes = *k->sizes;
    to.kernel(r);
  }
  for (step_record const* r : in_order(all, &part::steps, end)) to.step(*r);
  for (wait_record const* r : in_order(all, &part::waits, end)) to.wait(*r);
  for (post_record const* r : in_order(all, &part::posts, at)) to.post(*r);
  for (send_record const* r : in_order(all, &part::sends, at)) to.send(*r);
  for (delivery_record const* r : in_order(all, &part::deliveries, at)) to.delivery(*r);
}

/// All processes of a run have the same command line, but one word.
nlohmann::json command_line(std::string const& arguments) {
  nlohmann::json words = nlohmann::json::parse(arguments, nullptr, false);
  if (!words.is_array()) return {};  // damaged
  std::erase(words.get_ref<nlohmann::json::array_t&>(), "--worker");
  return words;
}

void expect_same_run(part const& first, part const& other, std::string const& file) {
  std::string const here = fact(first, "arguments"), there = fact(other, "arguments");
  if (here.empty() || there.empty() || fact(first, "nodes").empty() || fact(other, "nodes").empty())
    return;  // killed before it wrote what it is
  if (command_line(here) != command_line(there) || fact(first, "nodes") != fact(other, "nodes"))
    throw config_error("'" + file + "': a part of another run: expected none beside it");
}

}  // namespace

void join_parts(std::string const& run) {
  std::vector<fs::path> const others = parts_of(run);
  if (others.empty()) return;
  parts all;
  all.push_back(std::make_unique<part>(run));
  for (fs::path const& file : others) {
    all.push_back(std::make_unique<part>(file.string()));
    expect_same_run(*all.front(), *all.back(), file.string());
  }
  if (all.front()->definitions().nodes == 0)
    throw config_error("'" + run +
                       "': expected node 0's part to say what the run is, but it ended before it wrote that; " +
                       std::to_string(others.size()) + " other parts stay as they are");
  run_facts about = all.front()->about();
  about["clocks"] = correct_clocks(all).dump();
  run_definitions names = all.front()->definitions();
  std::string incomplete;
  for (auto const& p : all) {
    for (std::size_t n = 0; n < names.capacities.size() && n < p->definitions().capacities.size(); ++n)
      names.capacities[n] = std::max(names.capacities[n], p->definitions().capacities[n]);
    if (!p->complete()) incomplete += (incomplete.empty() ? "node" : " node") + std::to_string(p->definitions().node);
  }
  std::string const joined = run + ".joined";
  std::string failure;
  about.erase("complete");
  about.try_emplace(store::outcome_fact, "");  // else it would still run
  if (!incomplete.empty()) about["incomplete"] = incomplete;
  {
    run_recorder to(joined, std::move(about), emitters::one_thread, [&](std::string const& why) { failure = why; });
    to.begin(names);
    write(all, to);
    if (all.front()->totals_only()) {
      for (auto const& p : all) to.add(p->totals());
    }
    to.flush();
  }
  if (!failure.empty()) {
    fs::remove(joined);
    throw io_error(failure);
  }
  fs::rename(joined, run);
  for (fs::path const& file : others) fs::remove(file);
}

}  // namespace ovlp
