// SPDX-License-Identifier: BSD-3-Clause
// What exports of a replay say of the program's messages: that MPI could have sent and received them so.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/mpi/check.hpp>
#include <ovlp/mpi/replay.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include "support/process.hpp"

namespace {

using namespace ovlp::mpi;
using doctest::Approx;
using ovlp::mpi::index;  // and not that of <strings.h>

/// Two nodes, so that some messages stay on a node; large ones are overtaken by small ones.
constexpr char const* platform_text = R"({"name": "test", "reference_core": "any",
  "nodes": [{"count": 2, "cores": 4, "speed": 1}],
  "network": {"model": "linear", "latency_s": 0.5, "bandwidth_Bps": 100}})";
constexpr std::uint64_t eager_bytes = 150;

trace of(std::vector<std::vector<record>> programs, std::size_t copies = 1) {
  trace made;
  made.name = "test";
  std::vector<rank_id> all;
  for (auto& records : programs) {
    all.push_back(static_cast<rank_id>(made.ranks.size()));
    made.ranks.push_back({std::move(records), {}, {}});
  }
  made.communicators.assign(copies, all);
  std::ranges::reverse(all);
  made.communicators.push_back(all);
  return made;
}

/// Messages of three tags in two communicators of all ranks and one in which they stand the other way round. Some calls
/// block; what does not is waited for in any order. With collective calls now and then, and then some messages are
/// never waited for.
trace random_trace(std::mt19937& random, bool with_collectives) {
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t const ranks = 2 + below(4);
  std::vector<std::vector<record>> programs(ranks);
  std::vector<std::vector<index>> open(ranks);
  std::vector<index> requests(ranks);
  std::vector<std::vector<index>> of_collectives(ranks);
  auto const maybe_request = [&](std::size_t r) {
    if (below(2) == 0) return none;
    open[r].push_back(requests[r]);
    return requests[r]++;
  };
  auto const wait_for_some = [&](std::size_t r, std::size_t one_in) {
    while (!open[r].empty() && below(one_in) == 0) {
      std::size_t const which = below(open[r].size());
      programs[r].emplace_back(wait{open[r][which]});
      open[r].erase(open[r].begin() + static_cast<std::ptrdiff_t>(which));
    }
  };
  for (std::size_t i = 0; i < 40; ++i) {
    std::size_t const from = below(ranks), to = (from + 1 + below(ranks - 1)) % ranks;
    auto const tag = static_cast<std::int32_t>(7 * below(3));
    auto const in = static_cast<index>(below(3));
    std::uint64_t const bytes = below(300);
    programs[from].emplace_back(send{static_cast<rank_id>(to), tag, bytes, in, maybe_request(from)});
    programs[to].emplace_back(receive{static_cast<rank_id>(from), tag, bytes, in, maybe_request(to)});
    for (std::size_t const r : {from, to}) {
      if (below(2) == 0) programs[r].emplace_back(compute{static_cast<double>(below(100)) / 64});
      wait_for_some(r, 3);
    }
    if (!with_collectives || below(8) != 0) continue;
    bool const blocks = below(2) == 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      collective c{operation::all_reduce, in, 0, 8 * bytes, 8 * bytes};
      if (!blocks) of_collectives[r].push_back(c.request = requests[r]++);
      programs[r].emplace_back(c);
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    for (index const left : of_collectives[r]) programs[r].emplace_back(wait{left});
    for (index const left : open[r])
      if (!with_collectives || below(3) != 0) programs[r].emplace_back(wait{left});
  }
  return of(std::move(programs), 2);
}

/// Members of the communicator, tag, bytes.
using message = std::tuple<std::vector<rank_id>, std::int32_t, std::uint64_t>;
/// By sender and receiver, in the order of their calls.
using messages = std::map<std::pair<rank_id, rank_id>, std::vector<message>>;

/// Of the program: not those of its collective calls, whose tags are below 0.
template <class End>
messages of_program(trace const& t) {
  messages all;
  for (rank_id self = 0; static_cast<std::size_t>(self) < t.ranks.size(); ++self) {
    for (record const& r : t.ranks[static_cast<std::size_t>(self)].records) {
      auto const* const end = std::get_if<End>(&r);
      if (end == nullptr || end->tag < 0) continue;
      std::pair<rank_id, rank_id> way;
      if constexpr (std::is_same_v<End, send>) way = {self, end->to};
      else way = {end->from, self};
      all[way].emplace_back(t.communicators[end->communicator], end->tag, end->bytes);
    }
  }
  return all;
}

struct replayed_trace {
  explicit replayed_trace(trace const& what) : platform(folder.file("test.json", platform_text)) {
    check(what);
    write_trace(what, folder.path() / "test.mpitrace");
    run({"replay", folder.path() / "test.mpitrace", "--platform", platform, "--eager-bytes",
         std::to_string(eager_bytes), "--record", record});
  }
  void run(std::vector<std::string> words) const {
    words.insert(words.begin(), OVLP_COMMAND);
    ovlp::base::outcome const done = ovlp::base::run({std::move(words)});
    REQUIRE_MESSAGE(done.good(), done.complaint());
    CHECK(done.err == "");
  }
  std::string exported(std::string const& format, std::string const& name) const {
    std::string output = folder.path() / name;
    run({"export", record, "--to", format, "-o", output});
    return output;
  }

  ovlp::testing::temporary_folder const folder;
  std::string const platform, record = folder.path() / "test.sqlite";
};

double time_s(trace const& what) {
  auto const on = ovlp::machine::platform::parse(platform_text, "test.json");
  return replay(what, on, {.eager_bytes = eager_bytes}).time_s;
}

#ifdef HAS_OTF2
/// Reads the archive, which checks that it is one that a program can have left, and compares.
trace check_otf2(trace const& what) {
  replayed_trace const done(what);
  trace again = read_trace(done.exported("otf2", "otf2") + "/traces.otf2");
  CHECK(of_program<send>(again) == of_program<send>(what));
  CHECK(of_program<receive>(again) == of_program<receive>(what));
  return again;
}
#endif

/// What Paraver is told of messages, by sender and receiver (ranks are tasks), in the order of the file; the times of
/// receives of one way and tag do not go back.
void check_paraver(trace const& what, bool one_communicator) {
  replayed_trace const done(what);
  std::vector<std::string> const lines =
      ovlp::testing::lines_of(ovlp::testing::contents(done.exported("paraver", "trace.prv")));
  std::smatch found;
  REQUIRE(
      std::regex_match(lines.at(0), found, std::regex("#Paraver \\(.*\\):[0-9]+_ns:.*:1:([0-9]+)\\(.*\\),([0-9]+)")));
  CHECK(std::stoul(found[1]) == what.ranks.size());
  REQUIRE(std::stoul(found[2]) == what.communicators.size());
  for (std::size_t c = 0; c < what.communicators.size(); ++c) {
    std::string expected = "c:1:" + std::to_string(c + 1) + ':' + std::to_string(what.communicators[c].size());
    for (rank_id const m : what.communicators[c]) expected += ':' + std::to_string(m + 1);
    CHECK(lines.at(1 + c) == expected);
  }
  std::map<std::pair<rank_id, rank_id>, std::vector<std::pair<std::int32_t, std::uint64_t>>> got, expected;
  for (auto const& [way, all] : of_program<send>(what))
    for (auto const& [in, tag, bytes] : all) expected[way].emplace_back(tag, bytes);
  std::map<std::tuple<rank_id, rank_id, std::int32_t>, std::int64_t> posted_until_ns;
  std::regex const communication(
      "3:0:1:([0-9]+):[0-9]+:([0-9]+):([0-9]+):0:1:([0-9]+):[0-9]+:([0-9]+):([0-9]+):([0-9]+):([0-9]+)");
  for (std::string const& line : lines) {
    if (!line.starts_with("3:")) continue;
    CAPTURE(line);
    REQUIRE(std::regex_match(line, found, communication));
    auto const number = [&](std::size_t group) { return std::stoll(found[group]); };
    auto const from = static_cast<rank_id>(number(1) - 1), to = static_cast<rank_id>(number(4) - 1);
    auto const tag = static_cast<std::int32_t>(static_cast<std::uint32_t>(number(8)));
    CHECK((number(2) <= number(3) && number(3) <= number(6)));
    if (tag < 0) continue;
    got[{from, to}].emplace_back(tag, static_cast<std::uint64_t>(number(7)));
    std::int64_t& until_ns = posted_until_ns[{from, to, tag}];
    if (one_communicator) CHECK(until_ns <= number(5));
    until_ns = number(5);
  }
  CHECK(got == expected);
}

/// The small one arrives first.
trace overtaking() {
  return of({{send{1, 1, 28000, 0, 0}, send{1, 2, 8}, send{1, 2, 9, 1}, send{1, 2, 10}, wait{0}},
             {receive{0, 1, 28000}, receive{0, 2, 8}, receive{0, 2, 10, 0, 5}, receive{0, 2, 9, 1}, wait{5}}},
            2);
}

}  // namespace

#ifdef HAS_OTF2
TEST_CASE("an archive of a replay has the program's messages, in its order, and is replayed itself") {
  check_otf2(overtaking());
  std::mt19937 random(14);
  for (int i = 0; i < 12; ++i) {
    INFO("trace " << i);
    trace const what = random_trace(random, i % 3 == 0);
    double const again_s = time_s(check_otf2(what));
    if (i % 3 != 0) CHECK(again_s == Approx(time_s(what)).epsilon(1e-6));
  }
}
#endif

TEST_CASE("Paraver gets the program's messages with their tags, in its order") {
  check_paraver(overtaking(), false);
  std::mt19937 random(41);
  for (int i = 0; i < 6; ++i) {
    INFO("trace " << i);
    trace what = random_trace(random, i % 2 == 0);
    if (i % 3 == 0) check_paraver(what, false);
    for (trace_of_rank& rank : what.ranks) {
      for (record& r : rank.records) {
        if (auto* const s = std::get_if<send>(&r)) s->communicator = 0;
        if (auto* const m = std::get_if<receive>(&r)) m->communicator = 0;
      }
    }
    check_paraver(what, true);
  }
}
