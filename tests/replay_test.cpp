// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/replay.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/analysis/identities.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/mpi/channel.hpp>
#include <ovlp/mpi/check.hpp>
#include <ovlp/mpi/trace_file.hpp>

namespace {

using namespace ovlp::mpi;
using doctest::Approx;
using ovlp::mpi::index;  // and not that of <strings.h>

std::string platform_text(std::string const& network, std::string const& node = R"("cores": 1, "speed": 1)") {
  return R"({"name": "test", "reference_core": "any", "nodes": [{"count": 9, )" + node + R"(}],
             "network": {"latency_s": 0.5, "bandwidth_Bps": 100, )" +
         network + "}}";
}
/// A message of 100 bytes takes 0.5 s and, alone, 1 s more.
ovlp::machine::platform platform(std::string const& network = R"("model": "bus")",
                                 std::string const& node = R"("cores": 1, "speed": 1)") {
  return ovlp::machine::platform::parse(platform_text(network, node), "test.json");
}

trace of(std::vector<std::vector<record>> programs) {
  trace made;
  made.name = "test";
  std::vector<rank_id>& all = made.communicators.emplace_back();
  for (auto& records : programs) {
    all.push_back(static_cast<rank_id>(made.ranks.size()));
    made.ranks.push_back({std::move(records), {}, {}});
  }
  return made;
}
/// All ranks make it at once.
trace of_collective(std::size_t ranks, collective const& c) { return of(std::vector<std::vector<record>>(ranks, {c})); }

replay_result replayed(trace const& what, ovlp::machine::platform const& on = platform(), replay_options how = {}) {
  check(what);
  ovlp::run_collector records;
  if (how.sink == nullptr) how.sink = &records;
  replay_result found = replay(what, on, how);
  ovlp::recorded_run const run = records.take();
  for (std::string const& line : ovlp::analysis::identities(run, {.of_flow_graphs = false}).broken_anywhere())
    FAIL_CHECK(line);
  return found;
}
std::vector<double> ends(replay_result const& of_ranks) {
  std::vector<double> all;
  for (rank_times const& t : of_ranks.ranks) all.push_back(t.end_s);
  return all;
}
replay_options with_collectives(std::string const& names) { return {.collectives = collective_choice(names)}; }
using times = std::vector<double>;

}  // namespace

TEST_CASE("an eager message takes latency and bytes over bandwidth, and its sender goes on") {
  replay_result const r =
      replayed(of({{compute{1}, send{1, 7, 100}, compute{0.25}}, {receive{0, 7, 100}, compute{3}}}));
  CHECK(ends(r) == times{1.25, 1 + 0.5 + 1 + 3});
  CHECK(r.time_s == 5.5);
  CHECK(r.ranks[0].computing_s == 1.25);
  CHECK(r.ranks[0].sending_s == 0);
  CHECK(r.ranks[1].waiting_s == 2.5);
  CHECK(r.ranks[1].computing_s == 3);
  CHECK(r.all.messages == 1);
  CHECK(r.between_nodes.bytes == 100);
}

TEST_CASE("messages take turns on a bus, and on the link of a node") {
  trace const pairs = of({{send{1, 0, 100}}, {receive{0, 0, 100}}, {send{3, 0, 100}}, {receive{2, 0, 100}}});
  CHECK(ends(replayed(pairs)) == times{0, 1.5, 0, 1.5});
  CHECK(ends(replayed(pairs, platform(R"("model": "bus", "buses": 1)"))) == times{0, 1.5, 0, 2.5});
  trace const from_one = of({{send{1, 0, 100}, send{2, 0, 100}}, {receive{0, 0, 100}}, {receive{0, 0, 100}}});
  CHECK(ends(replayed(from_one)) == times{0, 1.5, 2.5});
  CHECK(ends(replayed(from_one, platform(R"("model": "bus", "output_links": 2)"))) == times{0, 1.5, 1.5});
  CHECK(ends(replayed(from_one, platform(R"("model": "star")"))) == times{0, 2.5, 2.5});
}

TEST_CASE("a message by rendezvous begins when its receive does, and its sender waits") {
  send const by_rendezvous{1, 7, 100, 0, none, none, protocol::rendezvous};
  trace const late = of({{by_rendezvous, compute{1}}, {compute{2}, receive{0, 7, 100}}});
  replay_result const r = replayed(late);
  CHECK(ends(r) == times{4.5, 3.5});
  CHECK(r.ranks[0].sending_s == 3.5);
  CHECK(r.ranks[1].waiting_s == 1.5);
  CHECK(ends(replayed(of({{compute{2}, by_rendezvous}, {receive{0, 7, 100}}}))) == times{3.5, 3.5});

  trace const by_size = of({{send{1, 7, 100}, send{1, 7, 99}}, {compute{2}, receive{0, 7, 100}, receive{0, 7, 99}}});
  CHECK(ends(replayed(by_size, platform(), {.eager_bytes = 99}))[0] == 3.5);
  CHECK(ends(replayed(by_size, platform(), {.eager_bytes = 100}))[0] == 0);
}

TEST_CASE("non-blocking calls overlap with computing, and a wait takes what is left") {
  trace const t =
      of({{send{1, 7, 100, 0, 3}, compute{2}, wait{3}}, {receive{0, 7, 100, 0, 0}, compute{1}, wait{0}, compute{1}}});
  replay_result const r = replayed(t);
  CHECK(ends(r) == times{2, 2.5});
  CHECK(r.ranks[1].waiting_s == 0.5);
  send const isend{1, 7, 100, 0, 3, none, protocol::rendezvous};
  replay_result const by_rendezvous = replayed(of({{isend, compute{1}, wait{3}}, {compute{2}, receive{0, 7, 100}}}));
  CHECK(ends(by_rendezvous) == times{3.5, 3.5});
  CHECK(by_rendezvous.ranks[0].waiting_s == 2.5);
}

TEST_CASE("messages of one channel do not overtake, those of others do") {
  // 0.5 + 3 s, and 0.5 s: the smaller one is there first.
  auto const ends_with = [](std::int32_t second_tag, record const& first, record const& second) {
    trace const t = of({{send{1, 1, 300}, send{1, second_tag, 0}}, {first, compute{0.25}, second}});
    return ends(replayed(t, platform(R"("model": "linear")")))[1];
  };
  CHECK(ends_with(1, receive{0, 1, 300}, receive{0, 1, 0}) == 3.75);
  CHECK(ends_with(2, receive{0, 2, 0}, receive{0, 1, 300}) == 3.5);
}

TEST_CASE("ranks of a node share its cores, and exchange messages in no time") {
  trace const t =
      of({{compute{1}, send{1, 7, 100}}, {compute{1}, receive{0, 7, 100}, send{2, 7, 100}}, {receive{1, 7, 100}}});
  replay_options const how{.nodes = place_ranks(3, platform(), "node0*2 node4")};
  replay_result const r = replayed(t, platform(), how);
  CHECK(ends(r) == times{2, 2, 3.5});
  CHECK(r.all.messages == 2);
  CHECK(r.between_nodes.messages == 1);
  CHECK(ends(replayed(t, platform(R"("model": "bus")", R"("cores": 2, "speed": 1)"), how)) == times{1, 1, 2.5});
  CHECK(ends(replayed(t, platform(R"("model": "bus")", R"("cores": 2, "speed": 4)"), how)) == times{0.25, 0.25, 1.75});
}

TEST_CASE("ranks are placed in even blocks, or as a mapping says") {
  using nodes = std::vector<std::uint32_t>;
  CHECK(place_ranks(3, platform()) == nodes{0, 1, 2});
  CHECK(place_ranks(12, platform()) == nodes{0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8});
  CHECK(place_ranks(3, platform(), "node[7-8] node0") == nodes{7, 8, 0});
  CHECK_THROWS_WITH_AS(place_ranks(3, platform(), "node0*2"), "map: expected a node for each of 3 ranks, got 2",
                       ovlp::config_error);
  CHECK_THROWS_AS(place_ranks(1, platform(), "node9"), ovlp::config_error);
}

TEST_CASE("collectives take what their messages take") {
  auto const takes = [](std::size_t ranks, collective const& c, std::string const& algorithm) {
    replay_result const r = replayed(of_collective(ranks, c), platform(), with_collectives(algorithm));
    CHECK(r.ranks.back().collective_s == r.ranks.back().end_s);
    return ends(r);
  };
  // One output link: what the root sends second begins a second later.
  collective const broadcast{operation::broadcast, 0, 0, 100, 100};
  CHECK(takes(2, broadcast, "binomial") == times{0, 1.5});
  CHECK(takes(4, broadcast, "binomial") == times{0, 2.5, 1.5, 3});
  CHECK(takes(4, broadcast, "linear") == times{0, 1.5, 2.5, 3.5});
  CHECK(takes(4, broadcast, "ring") == times{0, 1.5, 3, 4.5});
  CHECK(takes(3, {operation::broadcast, 0, 2, 100, 100}, "linear") == times{1.5, 2.5, 0});
  CHECK(takes(4, {operation::barrier}, "dissemination") == times{1, 1, 1, 1});
  CHECK(takes(2, {operation::all_reduce, 0, 0, 100, 100}, "recursive-doubling") == times{1.5, 1.5});
  CHECK(takes(4, {operation::all_reduce, 0, 0, 100, 100}, "recursive-doubling") == times{3, 3, 3, 3});
  // 0 gives to 1, until 1.5; into 1 comes what 2 sends only after that, until 2.5; then 1 gives the result to 0.
  CHECK(takes(3, {operation::all_reduce, 0, 0, 100, 100}, "recursive-doubling") == times{4, 2.5, 3});
  // Two rounds of two steps, of a third of 300 bytes each.
  CHECK(takes(3, {operation::all_reduce, 0, 0, 300, 300}, "ring") == times{6, 6, 6});
  CHECK(takes(3, {operation::all_gather, 0, 0, 100, 300}, "ring") == times{3, 3, 3});
  CHECK(takes(4, {operation::gather, 0, 0, 100, 400}, "linear") == times{3.5, 0, 0, 0});
  // 3 to 2 and 1 to 0 at once; then two blocks from 2 to 0.
  CHECK(takes(4, {operation::gather, 0, 0, 100, 400}, "binomial") == times{1.5 + 2.5, 0, 1.5, 0});
  CHECK(takes(3, {operation::all_to_all, 0, 0, 300, 300}, "pairwise") == times{3, 3, 3});
  CHECK(takes(3, {operation::scan, 0, 0, 100, 100}, "linear") == times{0, 1.5, 3});
}

TEST_CASE("bytes of an all-to-all may differ from rank to rank") {
  trace t = of_collective(3, {operation::all_to_all, 0, 0, 300, 300, none, 0});
  for (trace_of_rank& r : t.ranks) r.counts = {{0, 100, 200}};
  // First to the next rank, 100, 200 and 0 bytes, which are there at 1.5, 2.5 and 0.5; then to the one after it, 200
  // bytes from 0 (which find the link into 2 free at 2.5), none from 1, 100 from 2.
  CHECK(ends(replayed(t)) == times{2, 4, 4.5});
}

TEST_CASE("a non-blocking collective goes on while its rank computes") {
  collective const c{operation::all_reduce, 0, 0, 100, 100, 0};
  replay_result const r = replayed(of({{c, compute{1}, wait{0}}, {c, compute{5}, wait{0}}}));
  CHECK(ends(r) == times{1.5, 5});
  CHECK(r.ranks[0].waiting_s == 0.5);
}

TEST_CASE("the two-task trace of Dimemas takes what its model says") {
  ovlp::base::temporary_folder const folder;
  trace const t = of(
      {{compute{1e-9}, compute{1e-4}, send{1, 7, 1000, 0, none, none, protocol::eager}, compute{5e-5},
        collective{operation::reduce, 0, 0, 8, 8}, compute{1e-5}},
       {compute{1e-9}, receive{0, 7, 1000}, compute{5e-5}, collective{operation::reduce, 0, 0, 8, 8}, compute{1e-5}}});
  std::string const file = (folder.path() / "mini.dim").string();
  write_trace(t, file);
  auto const on = ovlp::machine::platform::parse(
      R"({"name": "bus", "reference_core": "any", "nodes": [{"count": 2, "cores": 1, "speed": 1}],
          "network": {"model": "bus", "latency_s": 1e-5, "bandwidth_Bps": 1e8}})",
      "bus.json");
  replay_result const r = replayed(read_trace(file), on);
  double const received_s = 1e-9 + 1e-4 + 1e-5 + 1000 / 1e8;
  double const reduced_s = received_s + 5e-5 + 1e-5 + 8 / 1e8;
  CHECK(r.ranks[0].end_s == Approx(reduced_s + 1e-5).epsilon(1e-12));
  CHECK(r.ranks[1].end_s == Approx(received_s + 5e-5 + 1e-5).epsilon(1e-12));
}

TEST_CASE("ranks that wait for each other for ever are named, with their calls") {
  auto const stall = [](trace const& t) -> std::string {
    try {
      replayed(t);
    } catch (ovlp::stalled const& what) {
      return what.what();
    }
    return "";
  };
  CHECK(
      stall(of({{compute{1}, receive{1, 1, 10}, send{1, 1, 10}}, {receive{0, 1, 10}, send{0, 1, 10}}})) ==
      "trace 'test': after 1.000000 s 2 of 2 ranks wait for what never comes: rank 0, call 1: receive from rank 1, tag "
      "1, 10 bytes; rank 1, call 1: receive from rank 0, tag 1, 10 bytes");
  send const by_rendezvous{1, 1, 10, 0, none, none, protocol::rendezvous};
  CHECK(stall(of({{by_rendezvous}, {receive{0, 1, 10, 0, 4}, wait{4}}})) == "");
  std::string const in_wait =
      stall(of({{receive{1, 1, 1}, send{1, 1, 1}}, {receive{0, 1, 1, 0, 4}, wait{4}, send{0, 1, 1}}}));
  CHECK(in_wait.find("rank 1, call 2: wait for request 4 (non-blocking receive from rank 0, tag 1, 1 bytes)") !=
        std::string::npos);
  collective const barrier{operation::barrier};
  std::string const in_collective = stall(of({{receive{1, 1, 1}, barrier}, {barrier, send{0, 1, 1}}}));
  CHECK(in_collective.find("rank 1, call 1: barrier (in it: wait for request 0 (non-blocking receive from rank "
                           "0, tag -1, 0 bytes))") != std::string::npos);
}

namespace {

/// What a trace without collectives takes where nothing is shared: each rank goes on as far as it can, until all have.
class naive_replay {
 public:
  naive_replay(trace const& t, double latency_s, double bandwidth, std::uint64_t eager_bytes)
      : trace_(t), latency_s_(latency_s), bandwidth_(bandwidth), eager_bytes_(eager_bytes) {}

  times run() {
    std::size_t const n = trace_.ranks.size();
    now_s_.assign(n, 0);
    next_.assign(n, 0);
    begun_.assign(n, false);
    requests_.resize(n);
    for (bool any = true; std::exchange(any, false);) {
      for (std::size_t r = 0; r < n; ++r)
        while (next_[r] < trace_.ranks[r].records.size() && step(r)) any = true;
    }
    return now_s_;
  }

 private:
  struct message {
    double sent_s = never, posted_s = never;
    std::uint64_t bytes = 0;
    bool eager = false;
  };
  struct side {
    channel of;
    std::size_t number;
    bool sends;
  };
  static constexpr double never = std::numeric_limits<double>::infinity();

  bool step(std::size_t r) {
    auto const self = static_cast<rank_id>(r);
    record const& what = trace_.ranks[r].records[next_[r]];
    if (auto const* const c = std::get_if<compute>(&what)) return end(r, now_s_[r] + c->duration_s);
    if (auto const* const w = std::get_if<wait>(&what)) return end(r, end_of(requests_[r].at(w->request), r));
    auto const* const s = std::get_if<send>(&what);
    auto const* const m = std::get_if<receive>(&what);
    channel const of = s != nullptr ? channel{self, s->to, s->tag, 0} : channel{m->from, self, m->tag, 0};
    if (!begun_[r]) {
      begun_[r] = true;
      auto& [sent, received] = counts_[key(of)];
      current_[r] = {of, s != nullptr ? sent++ : received++, s != nullptr};
      auto& all = messages_[key(of)];
      if (current_[r].number == all.size()) all.emplace_back();
      message& x = all[current_[r].number];
      if (s != nullptr) {
        x.sent_s = now_s_[r];
        x.bytes = s->bytes;
        x.eager = s->how == protocol::eager || (s->how == protocol::by_size && s->bytes <= eager_bytes_);
      } else {
        x.posted_s = now_s_[r];
      }
    }
    index const request = s != nullptr ? s->request : m->request;
    if (request == none) return end(r, end_of(current_[r], r));
    requests_[r][request] = current_[r];
    return end(r, now_s_[r]);
  }
  bool end(std::size_t r, double at_s) {
    if (at_s == never) return false;
    now_s_[r] = at_s;
    begun_[r] = false;
    ++next_[r];
    return true;
  }
  double end_of(side const& s, std::size_t r) {
    message const& x = messages_[key(s.of)][s.number];
    if (s.sends && x.eager) return now_s_[r];
    double const begin_s = x.eager ? x.sent_s : std::max(x.sent_s, x.posted_s);
    return std::max(now_s_[r], begin_s + latency_s_ + static_cast<double>(x.bytes) / bandwidth_);
  }
  static std::vector<std::int64_t> key(channel const& c) { return {c.from, c.to, c.tag}; }

  trace const& trace_;
  double latency_s_, bandwidth_;
  std::uint64_t eager_bytes_;
  times now_s_;
  std::vector<std::size_t> next_;
  std::vector<bool> begun_;
  std::map<std::size_t, side> current_;
  std::map<std::vector<std::int64_t>, std::vector<message>> messages_;
  std::map<std::vector<std::int64_t>, std::pair<std::size_t, std::size_t>> counts_;
  std::vector<std::map<index, side>> requests_;
};

/// Messages in an order in which they can all be exchanged one after another; waits come later.
trace random_trace(std::mt19937& random) {
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t const ranks = 2 + below(5);
  std::vector<std::vector<record>> programs(ranks);
  std::vector<std::vector<index>> open(ranks);
  std::vector<index> requests(ranks);
  auto const maybe_request = [&](std::size_t r) {
    if (below(2) == 0) return none;
    open[r].push_back(requests[r]);
    return requests[r]++;
  };
  for (std::size_t i = 0; i < 60; ++i) {
    std::size_t const from = below(ranks), to = (from + 1 + below(ranks - 1)) % ranks;
    auto const tag = static_cast<std::int32_t>(below(2));
    std::uint64_t const bytes = below(300);
    send s{static_cast<rank_id>(to), tag, bytes, 0, maybe_request(from)};
    s.how = protocol{static_cast<std::uint8_t>(below(3))};
    programs[from].emplace_back(s);
    programs[to].emplace_back(receive{static_cast<rank_id>(from), tag, bytes, 0, maybe_request(to)});
    for (std::size_t const r : {from, to}) {
      if (below(2) == 0) programs[r].emplace_back(compute{static_cast<double>(below(100)) / 64});
      while (!open[r].empty() && below(3) == 0) {
        std::size_t const which = below(open[r].size());
        programs[r].emplace_back(wait{open[r][which]});
        open[r].erase(open[r].begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
  }
  for (std::size_t r = 0; r < ranks; ++r)
    for (index const left : open[r]) programs[r].emplace_back(wait{left});
  return of(std::move(programs));
}

}  // namespace

TEST_CASE("random traces take what a naive replay says, where nothing is shared") {
  std::mt19937 random(21);
  for (int i = 0; i < 200; ++i) {
    trace const t = random_trace(random);
    replay_options how;
    how.eager_bytes = 150;
    times const got = ends(replayed(t, platform(R"("model": "linear")"), how));
    times const expected = naive_replay(t, 0.5, 100, how.eager_bytes).run();
    REQUIRE(got.size() == expected.size());
    for (std::size_t r = 0; r < got.size(); ++r) {
      INFO("trace " << i << ", rank " << r);
      REQUIRE(got[r] == Approx(expected[r]).epsilon(1e-9));
    }
    CHECK(ends(replayed(t, platform(R"("model": "linear")"), how)) == got);
  }
}

TEST_CASE("the times of a rank add up to its end") {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    for (rank_times const& t : replayed(random_trace(random), platform()).ranks)
      CHECK(t.computing_s + t.sending_s + t.waiting_s + t.collective_s == Approx(t.end_s));
  }
}

TEST_CASE("ovlp replay prints and writes what it found, and refuses what is wrong") {
  ovlp::base::temporary_folder const folder;
  auto const path = [&](std::string const& name) { return (folder.path() / name).string(); };
  write_trace(of({{compute{1}, send{1, 7, 100}}, {receive{0, 7, 100}}}), path("two.mpitrace"));
  ovlp::base::write_file(path("test.json"), platform_text(R"("model": "bus")"));
  auto const run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {OVLP_COMMAND, "replay"});
    return ovlp::base::run({words});
  };
  auto const good = run({path("two.mpitrace"), "--platform", path("test.json"), "--summary", path("summary.json"),
                         "--record", path("run.sqlite")});
  INFO(good.err);
  CHECK(good.status == 0);
  CHECK(good.out.starts_with("test, 2 ranks on test: 2.500000 s\n"));
  CHECK(ovlp::base::read_file(path("summary.json")).find("\"time_s\": 2.5") != std::string::npos);
  auto const exported =
      ovlp::base::run({{OVLP_COMMAND, "export", path("run.sqlite"), "--to", "paraver", "-o", path("run.prv")}});
  CHECK(exported.status == 0);
  std::string const paraver = ovlp::base::read_file(path("run.prv"));
  CHECK(paraver.starts_with("#Paraver (01/01/1970 at 00:00):2500000000_ns:2(1,1):1:2(1:1,1:2),1\nc:1:1:2:1:2\n"));
  CHECK(paraver.find("3:0:1:1:1:1000000000:1000000000:0:1:2:1:0:2500000000:100:7\n") != std::string::npos);

#ifdef HAS_OTF2  // what was exported can be read again
  CHECK(ovlp::base::run({{OVLP_COMMAND, "export", path("run.sqlite"), "--to", "otf2", "-o", path("otf2")}}).status ==
        0);
  trace const again = read_trace(path("otf2") + "/traces.otf2");
  REQUIRE(again.ranks.size() == 2);
  REQUIRE(again.ranks[0].records.size() >= 2);
  CHECK(std::get<compute>(again.ranks[0].records[0]).duration_s == 1);
  auto const& sent = std::get<send>(again.ranks[0].records[1]);
  CHECK(sent.to == 1);
  CHECK(sent.bytes == 100);
  auto const is_receive = [](record const& r) { return std::holds_alternative<receive>(r); };
  auto const received = std::ranges::find_if(again.ranks[1].records, is_receive);
  REQUIRE(received != again.ranks[1].records.end());
  CHECK(std::get<receive>(*received).bytes == 100);
  CHECK(ovlp::base::run({{OVLP_COMMAND, "replay", path("otf2") + "/traces.otf2", "--platform", path("test.json")}})
            .status == 0);
  std::string anchor = ovlp::base::read_file(path("otf2") + "/traces.otf2");
  ovlp::base::write_file(path("cut.otf2"), anchor.substr(0, anchor.size() / 2));
  CHECK_THROWS_AS(read_trace(path("cut.otf2")), ovlp::config_error);
#endif

  auto const bad = [&](std::vector<std::string> const& words) {
    auto const ended = run(words);
    CHECK(ended.status != 0);
    CHECK(std::ranges::count(ended.err, '\n') == 1);
    return ended.err;
  };
  auto const says = [](std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(says(bad({path("none.dim"), "--platform", path("test.json")}), "none.dim: cannot be read"));
  CHECK(says(bad({path("test.json"), "--platform", path("test.json")}), "test.json: expected a trace"));
  CHECK(says(bad({path("two.mpitrace"), "--platform", path("test.json"), "--map", "node0"}), "map: expected"));
  CHECK(says(bad({path("two.mpitrace"), "--platform", path("test.json"), "--collectives", "x"}), "collectives:"));
  write_trace(of({{receive{1, 1, 1}, send{1, 1, 1}}, {receive{0, 1, 1}, send{0, 1, 1}}}), path("stuck.mpitrace"));
  CHECK(says(bad({path("stuck.mpitrace"), "--platform", path("test.json")}), "2 of 2 ranks wait"));
}
