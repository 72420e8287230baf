// SPDX-License-Identifier: BSD-3-Clause
#include "overlap_figures.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/mpi/overlapped.hpp>
#include <ovlp/mpi/replay.hpp>
#include <ovlp/records/sink.hpp>

#include "text_table.hpp"

namespace ovlp::tools {
namespace {

constexpr std::size_t most_ranks = 32, most_intervals = 4000;  // of a timeline

/// That of the longest message; of several the one in the middle.
template <class Call>
mpi::access_profile const* longest(mpi::trace const& of) {
  std::map<std::uint64_t, std::vector<mpi::access_profile const*>> by_size;
  for (mpi::trace_of_rank const& rank : of.ranks) {
    for (mpi::record const& r : rank.records) {
      auto const* call = std::get_if<Call>(&r);
      if (call != nullptr && call->profile != mpi::none) by_size[call->bytes].push_back(&rank.profiles[call->profile]);
    }
  }
  if (by_size.empty()) return nullptr;
  auto const& all = by_size.rbegin()->second;
  return all[all.size() / 2];
}

charts::chart accesses(mpi::access_profile const& profile, char const* title, char const* over) {
  charts::series pieces{.drawn_as = charts::mark::points, .look = 0, .size = 0.4};
  auto const count = static_cast<double>(profile.shares.size());
  for (std::size_t i = 0; i < profile.shares.size(); ++i) {
    if (profile.shares[i] != mpi::access_profile::never)
      pieces.points.push_back({100 * profile.shares[i], 100 * (static_cast<double>(i) + 0.5) / count});
  }
  return {.title = title,
          .x = {.label = std::string(over) + " [%]", .from = 0, .to = 100},
          .y = {.label = "place in the message [%]", .from = 0, .to = 100},
          .all = {std::move(pieces)}};
}

/// What ranks do, of a replay.
class timeline final : public record_sink {
 public:
  struct interval {
    std::uint32_t rank;
    double start_s, end_s;
    bool computes;
  };
  std::vector<interval> intervals;

  void step(step_record const& r) override {
    if (r.end_s > r.start_s) intervals.push_back({r.at.thread, r.start_s, r.end_s, true});
  }
  void wait(wait_record const& r) override { intervals.push_back({r.at.thread, r.start_s, r.end_s, false}); }
};

std::vector<timeline::interval> intervals_of(mpi::trace const& of, mpi::study_options const& options) {
  machine::platform const on = machine::platform::find(options.platform);
  timeline seen;
  mpi::replay_options how = mpi::replay_of(options, of.ranks.size(), on);
  how.sink = &seen;
  mpi::replay(of, on, how);
  return std::move(seen.intervals);
}

std::vector<charts::chart> timelines(mpi::trace const& original, mpi::study_options const& options) {
  using pattern = mpi::overlap_options::pattern;
  auto const overlapped = [&](pattern from) {
    return intervals_of(mpi::overlapped(original, mpi::overlap_of(options, from)), options);
  };
  std::array<std::pair<char const*, std::vector<timeline::interval>>, 3> replays{
      {{"original", intervals_of(original, options)},
       {"overlapped, measured pattern", overlapped(pattern::measured)},
       {"overlapped, ideal pattern", overlapped(pattern::ideal)}}};

  std::size_t const ranks = std::min(original.ranks.size(), most_ranks);
  double end_s = 0;
  std::size_t shown = 1;
  for (auto& [name, all] : replays) {
    std::erase_if(all, [&](timeline::interval const& i) { return i.rank >= ranks; });
    for (timeline::interval const& i : all) end_s = std::max(end_s, i.end_s);
    shown = std::max(shown, all.size());
  }
  // Long runs: a part from the middle, in which there is no more than can be seen.
  double const shown_s = end_s * std::min(1.0, static_cast<double>(most_intervals) / static_cast<double>(shown));
  double const from_s = (end_s - shown_s) / 2;

  std::vector<charts::chart> panels;
  for (auto const& [name, all] : replays) {
    charts::chart& panel = panels.emplace_back(charts::chart{
        .title = name,
        .x = {.label = "time [s]", .from = from_s, .to = from_s + shown_s},
        .y = {.label = "rank", .from = static_cast<double>(ranks) - 0.5, .to = -0.5, .step = ranks > 8 ? 4.0 : 1.0},
        .all = {{"computes", charts::mark::spans, 0}, {"waits", charts::mark::spans, 5}},
        .height = 130 + 18 * ranks});
    for (timeline::interval const& i : all) {
      if (i.end_s > from_s && i.start_s < from_s + shown_s)
        panel.all[i.computes ? 0 : 1].points.push_back({i.start_s, static_cast<double>(i.rank), i.start_s, i.end_s});
    }
  }
  return panels;
}

}  // namespace

charts::chart speed_ups(mpi::overlap_study const& study) {
  std::map<double, std::vector<mpi::overlap_point>> by_latency;
  for (mpi::overlap_point const& at : study.points) by_latency[at.latency_s].push_back(at);
  charts::chart drawn{.title = "Faster by overlap",
                      .x = {.label = "bandwidth [MB/s]", .logarithm = 10},
                      .y = {.label = "faster by [%]"}};
  for (auto const& [latency_s, points] : by_latency) {
    for (auto const& [pattern, overlapped_s] :
         {std::pair("measured", &mpi::overlap_point::measured_s), std::pair("ideal", &mpi::overlap_point::ideal_s)}) {
      charts::series& line = drawn.all.emplace_back(
          charts::series{.name = std::string(pattern) + ", latency " + short_number(1e6 * latency_s) + " us",
                         .look = drawn.all.size()});
      for (mpi::overlap_point const& at : points)
        line.points.push_back({1e-6 * at.bandwidth_Bps, 100 * (at.original_s / at.*overlapped_s - 1)});
    }
  }
  return drawn;
}

std::vector<figure> overlap_figures(mpi::trace const& original, mpi::overlap_study const& study,
                                    mpi::study_options const& options) {
  std::vector<figure> all;
  if (study.points.size() > 1)
    all.push_back({{speed_ups(study)}, "How much faster the overlapped program is, over the network's bandwidth"});
  if (auto const* profile = longest<mpi::send>(original); profile != nullptr)
    all.push_back({{accesses(*profile, "Production of a message", "interval from the send before to the send")},
                   "When each piece of one of the longest messages was stored last"});
  if (auto const* profile = longest<mpi::receive>(original); profile != nullptr)
    all.push_back({{accesses(*profile, "Consumption of a message", "interval from the receive to the next one")},
                   "When each piece of one of the longest messages was loaded first"});
  all.push_back({timelines(original, options), "What ranks do, on one scale of time"});
  return all;
}

}  // namespace ovlp::tools
