// SPDX-License-Identifier: BSD-3-Clause
#include "patterns.hpp"

#include <ovlp/flowgraph/chain.hpp>

namespace ovlp::lab::calibrate {
namespace {

struct block {
  std::uint32_t to;
  std::uint32_t rounds;
  buffer<std::byte> content;
};
struct taken {};
struct place {
  std::uint32_t node;
};
struct node_usage {
  std::uint32_t node;
  double cpu_s;
  node_limits limits;
};

constexpr std::size_t near = 128 * 1024, far = 16 * near;  // numbers: 1 and 16 MiB

}  // namespace

patterns::patterns(engine_base& run, node_clocks& clocks, std::uint32_t nodes)
    : run_(run),
      clocks_(clocks),
      nodes_(nodes),
      ends_("ends", mapping::in_turn(nodes, nodes - 1)),
      at_once_(make(0)),
      one_at_a_time_(make(1)),
      usage_(make_usage()),
      posting_(make_posting()) {
  run_.add(at_once_);
  run_.add(one_at_a_time_);
  run_.add(usage_);
  run_.add(posting_);
  run_.record();
}

double patterns::launch_last() {
  auto const start = run_.now();
  run_.remap(ends_, mapping::in_turn(nodes_, nodes_));
  return (run_.now() - start).count();
}

void patterns::visit(here<memory>& here, std::size_t numbers, std::uint32_t rounds) {
  here.kernel("visit", {numbers, rounds}, [&] {
    std::vector<double>& values = here.state.values;
    values.resize(numbers);
    double* const end = values.data() + numbers;  // not iterators: without optimization they take four times as long
    for (std::uint32_t r = 0; r < rounds; ++r) {
      for (double* value = values.data(); value != end; ++value) *value = *value * 0.5 + 1;
    }
  });
}

graph<pattern, patterns::nothing> patterns::make(std::size_t window) {
  graph<pattern, nothing> g(window == 0 ? "at once" : "one at a time");
  auto start = g.split("start", ends_, [](pattern all, out<stream>& streams) {
    for (stream const& s : all.streams) streams.post(s);
  });
  auto send = g.split("send", ends_, [](stream order, out<block>& blocks) {
    buffer<std::byte> const content(order.bytes);
    for (std::uint32_t i = 0; i < order.count; ++i) blocks.post({order.to, order.rounds, content});
  });
  auto take = g.leaf("take", ends_, [](here<memory>& here, block block) {
    if (block.rounds > 0) visit(here, near, block.rounds);
    return taken{};
  });
  auto answered = g.merge("answered", ends_, [](in<taken>& all) {
    while (all.wait()) continue;
    return nothing{};
  });
  auto finish = g.merge("finish", ends_, [](in<nothing>& all) {
    while (all.wait()) continue;
    return nothing{};
  });
  g.enter(start, at(0));
  g.edge(start, send, by(&stream::from));
  auto blocks = send.port<0>();
  if (window > 0) blocks.window(window);
  g.edge(blocks, take, by(&block::to));
  g.edge(take, answered, at_opener());
  g.edge(answered, finish, at(0));
  g.leave(finish);
  return g;
}

graph<patterns::nothing, patterns::usage> patterns::make_usage() {
  graph<nothing, usage> g("usage");
  auto ask = g.split("ask", ends_, [](here<memory>& here, nothing, out<place>& nodes) {
    for (std::uint32_t n = 0; n < here.size(); ++n) nodes.post({n});
  });
  auto report = g.leaf("report", ends_, [&clocks = clocks_](place where) {
    return node_usage{where.node, clocks.node_cpu_s(where.node), clocks.limits(where.node)};
  });
  auto list = g.merge("list", ends_, [](here<memory>& here, in<node_usage>& all) {
    usage found{std::vector<double>(here.size()), std::vector<node_limits>(here.size())};
    while (auto one = all.wait()) {
      found.by_node_s[one->node] = one->cpu_s;
      found.limits[one->node] = one->limits;
    }
    return found;
  });
  g.enter(ask, at(0));
  g.edge(ask, report, in_turn());
  g.edge(report, list, at(0));
  g.leave(list);
  return g;
}

graph<patterns::posts, patterns::posted> patterns::make_posting() {
  graph<posts, posted> g("posting");
  auto post = g.split("post", ends_, [&clocks = clocks_](here<memory>& here, posts order, out<place>& nodes) {
    if (order.cold) visit(here, far, 1);
    here.iteration(1);  // in a simulation time passes where steps end
    double const before_s = clocks.thread_cpu_s();
    for (std::uint32_t n = 1; n <= order.nodes; ++n) nodes.post({n});
    here.kernel("sent", {}, [] {});  // none is kept to go with others
    here.iteration(2);
    here.state.posting_s = clocks.thread_cpu_s() - before_s;
  });
  auto receive = g.leaf("receive", ends_, [](place) { return taken{}; });
  auto received = g.merge("received", ends_, [](here<memory>& here, in<taken>& all) {
    while (all.wait()) continue;
    return posted{here.state.posting_s};
  });
  g.enter(post, at(0));
  g.edge(post, receive, by(&place::node));
  g.edge(receive, received, at(0));
  g.leave(received);
  return g;
}

double patterns::posting_s(std::uint32_t nodes, bool cold) { return run_(posting_, {nodes, cold}).cpu_s; }

std::vector<node_limits> patterns::limits() { return run_(usage_, {}).limits; }

measured patterns::run(pattern const& what) {
  std::vector<double> const before_s = run_(usage_, {}).by_node_s;
  run_(what.one_at_a_time ? one_at_a_time_ : at_once_, what);
  summary const figures = run_.summary();
  clocks_.ended(figures);
  measured found{figures.time_s, figures.work_s, run_(usage_, {}).by_node_s};
  for (std::size_t n = 0; n < nodes_; ++n) found.node_cpu_s[n] -= before_s[n];
  return found;
}

}  // namespace ovlp::lab::calibrate
