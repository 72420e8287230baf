// SPDX-License-Identifier: BSD-3-Clause
// Traces of MPI programs whose messages are overlapped with computation: against traces made by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/overlap_study.hpp>
#include <ovlp/mpi/overlapped.hpp>
#include <ovlp/mpi/patterns.hpp>

#include "support/process.hpp"

using namespace ovlp::mpi;

namespace {

constexpr float never = access_profile::never;

trace of_ranks(std::vector<trace_of_rank> ranks) {
  trace made{"made by hand", std::move(ranks), {{}}};
  for (std::size_t i = 0; i < made.ranks.size(); ++i) made.communicators[0].push_back(static_cast<rank_id>(i));
  return made;
}

/// A rank's records in short: "2" computes so many seconds, "s0" sends chunk 0 (by tag), "r0" posts its receive, "w0"
/// waits for it, and "W0" for its sending; "C" calls a collective.
std::string in_short(trace_of_rank const& of) {
  std::string text;
  std::vector<std::string> calls;  // by request
  auto const begin = [&](index request, std::string const& what) {
    if (calls.size() <= request) calls.resize(request + 1);
    calls[request] = what;
  };
  for (record const& r : of.records) {
    std::string word = "C";
    if (auto const* burst = std::get_if<compute>(&r)) {
      word = std::to_string(burst->duration_s);
      word.erase(word.find_last_not_of('0') + 1);
      if (word.back() == '.') word.pop_back();
    } else if (auto const* out = std::get_if<send>(&r)) {
      word = "s" + std::to_string(out->tag);
      begin(out->request, "W" + std::to_string(out->tag));
    } else if (auto const* in = std::get_if<receive>(&r)) {
      word = "r" + std::to_string(in->tag);
      begin(in->request, "w" + std::to_string(in->tag));
    } else if (auto const* end = std::get_if<wait>(&r)) {
      word = calls.at(end->request);
    }
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

double computed_s(trace_of_rank const& of) {
  double sum_s = 0;
  for (record const& r : of.records) {
    if (auto const* burst = std::get_if<compute>(&r)) sum_s += burst->duration_s;
  }
  return sum_s;
}

/// Rank 0 computes 4 s and sends 400 bytes, whose quarters were stored last after 1, 2, 3 and 4 s; rank 1 computes 1 s,
/// receives them, and computes 4 s, in which it loads them from the start, after 1, 2 and 3 s.
trace even() {
  return of_ranks({{{compute{4}, send{1, 7, 400, 0, none, 0}}, {{0, 4, {.25F, .5F, .75F, 1}}}, {}},
                   {{compute{1}, receive{0, 7, 400, 0, none, 0}, compute{4}}, {{1, 5, {0, .25F, .5F, .75F}}}, {}}});
}

}  // namespace

TEST_CASE("chunks are sent when they were stored last and waited for when they were loaded first") {
  trace const made = overlapped(even(), {});
  CHECK(in_short(made.ranks[0]) == "1 s0 1 s1 1 s2 1 s3 W0 W1 W2 W3");
  CHECK(in_short(made.ranks[1]) == "1 r0 r1 r2 r3 w0 1 w1 1 w2 1 w3 1");
  for (record const& r : made.ranks[0].records) {
    if (auto const* part = std::get_if<send>(&r)) {
      CHECK(part->bytes == 100);
      CHECK(part->how == protocol::eager);
    }
  }
}

TEST_CASE("each mechanism of overlap can be left out alone") {
  trace made = overlapped(even(), {.advancing = false});
  CHECK(in_short(made.ranks[0]) == "4 s0 s1 s2 s3 W0 W1 W2 W3");
  CHECK(in_short(made.ranks[1]) == "1 r0 r1 r2 r3 w0 1 w1 1 w2 1 w3 1");
  made = overlapped(even(), {.postponing = false});
  CHECK(in_short(made.ranks[0]) == "1 s0 1 s1 1 s2 1 s3 W0 W1 W2 W3");
  CHECK(in_short(made.ranks[1]) == "1 r0 r1 r2 r3 w0 w1 w2 w3 4");
  made = overlapped(even(), {.chunks = 1});
  CHECK(in_short(made.ranks[0]) == "4 s0 W0");
  CHECK(in_short(made.ranks[1]) == "1 r0 w0 4");
  made = overlapped(even(), {.double_buffering = false});
  CHECK(std::get<send>(made.ranks[0].records[1]).how == protocol::eager);  // as the whole message
  made = overlapped(even(), {.double_buffering = false, .eager_bytes = 399});
  CHECK(std::get<send>(made.ranks[0].records[1]).how == protocol::rendezvous);
}

TEST_CASE("the ideal pattern spreads chunks over the burst around other messages") {
  // Rank 1 receives from both others, computes 8 s, and sends to both; what it computed before is not their burst.
  trace const original = of_ranks(
      {{{compute{1}, send{1, 0, 40}, receive{1, 0, 40}, compute{4}}, {}, {}},
       {{compute{2}, receive{0, 0, 40}, receive{2, 0, 40}, compute{8}, send{0, 0, 40}, send{2, 0, 40}}, {}, {}},
       {{send{1, 0, 40}, compute{1}, receive{1, 0, 40}}, {}, {}}});
  trace const made = overlapped(original, {.from = overlap_options::pattern::ideal, .chunks = 2});
  CHECK(in_short(made.ranks[0]) == "0.5 s0 0.5 s1 W0 W1 r0 r1 w0 2 w1 2");
  // Both senders' first chunks are needed at once, the second ones after half of the burst; as half of the two messages
  // is ready.
  CHECK(in_short(made.ranks[1]) == "2 r0 r1 r0 r1 w0 w0 4 w1 w1 s0 s0 4 s1 s1 W0 W1 W0 W1");
  CHECK(in_short(made.ranks[2]) == "s0 s1 W0 W1 1 r0 r1 w0 w1");
}

TEST_CASE("what was stored before an earlier call is sent before it, and not before the last sending of that memory") {
  // Stored in the first burst, at its very end; and never since that memory was sent, after one second.
  trace const original =
      of_ranks({{{compute{1}, send{1, 0, 8}, compute{1}, receive{1, 0, 8}, compute{2}, send{1, 0, 16, 0, none, 0}},
                 {{1, 4, {1.F / 3, never}}},
                 {}},
                {{receive{0, 0, 8}, send{0, 0, 8}, receive{0, 0, 16}}, {}, {}}});
  trace const made = overlapped(original, {.chunks = 2});
  // Tags: message 0 has chunks 0 and 1, message 1 has 2 and 3.
  CHECK(in_short(made.ranks[0]) == "1 s0 s1 W0 W1 s3 1 s2 r0 r1 w0 w1 2 W2 W3");
}

TEST_CASE("what is never loaded is waited for before its memory is received into again") {
  trace const original =
      of_ranks({{{send{1, 0, 16}, send{1, 0, 16}}, {}, {}},
                {{receive{0, 0, 16, 0, none, 0}, compute{2}, receive{0, 0, 16, 0, none, 1}, compute{1}},
                 {{0, 2, {.5F, never}}, {2, 3, {never, 0}}},
                 {}}});
  CHECK(in_short(overlapped(original, {.chunks = 2}).ranks[1]) == "r0 r1 1 w0 1 w1 r2 r3 w3 1 w2");
}

TEST_CASE("non-blocking calls keep their places") {
  // The send may end until its wait; the receive can be loaded from its wait on.
  trace const original = of_ranks(
      {{{receive{1, 0, 8, 0, 0, 0}, compute{1}, send{1, 0, 8, 0, 1, 1}, compute{1}, wait{1}, wait{0}, compute{1}},
        {{2, 3, {0}}, {0, 1, {.5F}}},
        {}},
       {{send{0, 0, 8}, receive{0, 0, 8}}, {}, {}}});
  CHECK(in_short(overlapped(original, {.chunks = 1}).ranks[0]) == "r0 0.5 s0 0.5 1 W0 w0 1");
}

TEST_CASE("messages of different tags keep their partners though chunks overtake") {
  trace const original =
      of_ranks({{{send{1, 5, 4}, send{1, 6, 400}}, {}, {}}, {{receive{0, 6, 400}, receive{0, 5, 4}}, {}, {}}});
  trace const made = overlapped(original, {.chunks = 2});
  CHECK(in_short(made.ranks[0]) == "s0 s1 W0 W1 s2 s3 W2 W3");
  CHECK(in_short(made.ranks[1]) == "r2 r3 w2 w3 r0 r1 w0 w1");
}

TEST_CASE("a message is cut into whole bytes, and no empty chunks") {
  trace const original = of_ranks({{{send{1, 0, 3}, send{1, 0, 0}, send{1, 0, 10}}, {}, {}},
                                   {{receive{0, 0, 3}, receive{0, 0, 0}, receive{0, 0, 10}}, {}, {}}});
  trace const made = overlapped(original, {});
  std::vector<std::uint64_t> sizes;
  for (record const& r : made.ranks[0].records) {
    if (auto const* part = std::get_if<send>(&r)) sizes.push_back(part->bytes);
  }
  CHECK(sizes == std::vector<std::uint64_t>{1, 1, 1, 0, 2, 3, 2, 3});
}

TEST_CASE("a receive without a sender is an error that names it") {
  trace const original = of_ranks({{{send{1, 0, 8}}, {}, {}}, {{receive{0, 0, 8}, receive{0, 0, 8}}, {}, {}}});
  CHECK_THROWS_WITH_AS(overlapped(original, {}), doctest::Contains("rank 1"), ovlp::config_error);
}

TEST_CASE("ranks compute as much as before, and every non-blocking call is waited for once, whatever the pattern") {
  unsigned const seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  auto const number = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int round = 0; round < 200; ++round) {
    trace original = of_ranks({{}, {}});
    for (int i = 0; i < 30; ++i) {
      auto const from = static_cast<std::size_t>(number(0, 1));
      trace_of_rank &sender = original.ranks[from], &receiver = original.ranks[1 - from];
      auto const bytes = static_cast<std::uint64_t>(number(0, 100));
      auto const profile_of = [&](trace_of_rank& rank, bool before) {
        double const now_s = computed_s(rank),
                     other_s = before ? std::max(0.0, now_s - number(0, 5)) : now_s + number(0, 5);
        access_profile made{std::min(now_s, other_s), std::max(now_s, other_s), {}};
        for (int piece = number(1, 9); piece > 0; --piece)
          made.shares.push_back(number(0, 9) == 0 ? never : static_cast<float>(number(0, 4)) / 4);
        rank.profiles.push_back(made);
        return static_cast<index>(rank.profiles.size() - 1);
      };
      sender.records.push_back(compute{static_cast<double>(number(0, 3))});
      sender.records.push_back(
          send{static_cast<rank_id>(1 - from), number(0, 2), bytes, 0, none, profile_of(sender, true)});
      auto const& sent = std::get<send>(sender.records.back());
      receiver.records.push_back(
          receive{static_cast<rank_id>(from), sent.tag, bytes, 0, none, profile_of(receiver, false)});
      receiver.records.push_back(compute{static_cast<double>(number(0, 3))});
    }
    overlap_options how;
    how.from = number(0, 1) == 0 ? overlap_options::pattern::measured : overlap_options::pattern::ideal;
    how.chunks = static_cast<std::size_t>(number(1, 5));
    trace const made = overlapped(original, how);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      CHECK(computed_s(made.ranks[rank]) == doctest::Approx(computed_s(original.ranks[rank])));
      std::vector<int> waited;
      for (record const& r : made.ranks[rank].records) {
        index request = none;
        if (auto const* out = std::get_if<send>(&r)) request = out->request;
        if (auto const* in = std::get_if<receive>(&r)) request = in->request;
        if (request != none) {
          if (waited.size() <= request) waited.resize(request + 1, -1);
          waited[request] = 0;
        }
        if (auto const* end = std::get_if<wait>(&r)) ++waited.at(end->request);
      }
      CHECK(std::all_of(waited.begin(), waited.end(), [](int times) { return times == 1; }));
    }
  }
}

namespace {

/// Two nodes with links of 100 bytes a second, which take one message after the other.
study_options on_slow_network(ovlp::testing::temporary_folder const& folder) {
  study_options options;
  options.platform = folder.file("slow.json", R"({"name": "slow", "reference_core": "x",
    "nodes": [{"count": 2, "cores": 1, "speed": 1}],
    "network": {"model": "bus", "latency_s": 0, "bandwidth_Bps": 100}})");
  return options;
}

}  // namespace

TEST_CASE("a study says what overlap brings, and which bandwidths would do the same") {
  // The message takes 4 s: 4 + 4 + 4. Overlapped, its quarters leave after 1, 2, 3 and 4 s and take a second each; so
  // the receiver loads the first one at 2 s and goes on for 4 s. With quarters of 2.5 s the last one is there at 11 s,
  // and a second later all is done. The original computes 8 s at least.
  ovlp::testing::temporary_folder const folder;
  study_options options = on_slow_network(folder);
  options.bandwidths_Bps = {400};
  overlap_study const found = study_overlap(even(), options);
  CHECK(found.base.original_s == doctest::Approx(12).epsilon(1e-9));
  CHECK(found.base.measured_s == doctest::Approx(6).epsilon(1e-9));
  CHECK(found.base.ideal_s == doctest::Approx(6).epsilon(1e-9));
  REQUIRE(found.measured.relaxed_Bps);
  CHECK(*found.measured.relaxed_Bps == doctest::Approx(40).epsilon(1e-3));
  CHECK(!found.measured.equivalent_Bps);
  REQUIRE(found.points.size() == 1);
  CHECK(found.points[0].original_s == doctest::Approx(9).epsilon(1e-9));
  CHECK(found.points[0].measured_s == doctest::Approx(5.25).epsilon(1e-9));
  // Whole messages can only be sent, and waited for, as a whole; chunks alone pass each other by nothing.
  REQUIRE(found.ablations.size() == 4);
  CHECK(found.ablations[0].measured_s == doctest::Approx(12).epsilon(1e-9));
  CHECK(found.ablations[1].measured_s == doctest::Approx(9).epsilon(1e-9));  // not advanced: from 4 s on
  CHECK(found.ablations[2].measured_s == doctest::Approx(9).epsilon(1e-9));  // not postponed: all at 5 s
  CHECK(found.ablations[3].measured_s == doctest::Approx(6).epsilon(1e-9));  // received before it comes
}

TEST_CASE("a program whose sends need no receive can be studied, whatever is left out") {
  // Both send before they receive: eager messages only.
  ovlp::testing::temporary_folder const folder;
  trace const original = of_ranks({{{compute{1}, send{1, 0, 400}, receive{1, 0, 400}, compute{1}}, {}, {}},
                                   {{compute{1}, send{0, 0, 400}, receive{0, 0, 400}, compute{1}}, {}, {}}});
  CHECK(study_overlap(original, on_slow_network(folder)).base.original_s == doctest::Approx(6));
}

TEST_CASE("a trace that takes no time is refused") {
  ovlp::testing::temporary_folder const folder;
  CHECK_THROWS_WITH_AS(study_overlap(of_ranks({{{}, {}, {}}, {{}, {}, {}}}), on_slow_network(folder)),
                       doctest::Contains("takes no time"), ovlp::config_error);
}

TEST_CASE("a platform whose network has no bandwidth to change is refused") {
  ovlp::testing::temporary_folder const folder;
  study_options options;
  options.platform =
      folder.file("linear.json", R"({"name": "x", "reference_core": "x", "nodes": [{"count": 2}], "network": {}})");
  CHECK_THROWS_WITH_AS(study_overlap(even(), options), doctest::Contains("expected a network with bandwidth_Bps"),
                       ovlp::config_error);
}

TEST_CASE("patterns are those of the sorted pieces, on average over messages") {
  access_patterns::production const p = production_of({0, 1, {.9F, never, .2F, .4F, .6F, 1, .8F, .7F}});
  CHECK(p.first == 0);  // ready from the start
  CHECK(p.quarter == doctest::Approx(.2));
  CHECK(p.half == doctest::Approx(.6));
  CHECK(p.whole == 1);
  access_patterns::consumption const c = consumption_of({0, 1, {.1F, never, .2F, .3F}});
  CHECK(c.nothing == doctest::Approx(.1));
  CHECK(c.quarter == doctest::Approx(.2));
  CHECK(c.half == doctest::Approx(.3));
  access_patterns const all = patterns_of(even());
  REQUIRE(all.produced);
  CHECK(all.sends == 1);
  CHECK(all.produced->whole == 1);
  REQUIRE(all.consumed);
  CHECK(all.consumed->half == .5);
}
