// SPDX-License-Identifier: BSD-3-Clause
#include "overlap_page.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/base/gnuplot.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/mpi/overlapped.hpp>
#include <ovlp/mpi/replay.hpp>
#include <ovlp/records/sink.hpp>

#include "html_page.hpp"
#include "overlap_study_text.hpp"
#include "picture.hpp"

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

std::string accesses(mpi::access_profile const& profile, char const* title, char const* over) {
  std::ostringstream to;
  to << beginning_of({"accesses.svg", title, {}, {}, 3}) << "unset key\nset xrange [0:100]\nset yrange [0:100]\n"
     << "set xlabel '" << over << " [%]'\nset ylabel 'place in the message [%]'\n$points << END\n";
  std::size_t const pieces = profile.shares.size();
  for (std::size_t i = 0; i < pieces; ++i) {
    if (profile.shares[i] == mpi::access_profile::never) continue;
    to << 100 * profile.shares[i] << ' ' << 100 * (static_cast<double>(i) + 0.5) / static_cast<double>(pieces) << '\n';
  }
  to << "END\nplot $points using 1:2 with points pt 7 ps 0.4 lc rgb '" << color(0) << "'\n";
  return to.str();
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

std::string timelines(mpi::trace const& original, mpi::study_options const& options) {
  using pattern = mpi::overlap_options::pattern;
  auto const overlapped = [&](pattern from) {
    return intervals_of(mpi::overlapped(original, mpi::overlap_of(options, from)), options);
  };
  std::vector<std::pair<std::string, std::vector<timeline::interval>>> panels;
  panels.emplace_back("original", intervals_of(original, options));
  panels.emplace_back("overlapped, measured pattern", overlapped(pattern::measured));
  panels.emplace_back("overlapped, ideal pattern", overlapped(pattern::ideal));

  std::size_t const ranks = std::min(original.ranks.size(), most_ranks);
  double end_s = 0;
  std::size_t shown = 1;
  for (auto& [name, all] : panels) {
    std::erase_if(all, [&](timeline::interval const& i) { return i.rank >= ranks; });
    for (timeline::interval const& i : all) end_s = std::max(end_s, i.end_s);
    shown = std::max(shown, all.size());
  }
  // Long runs: a part from the middle, in which there is no more than can be seen.
  double const shown_s = end_s * std::min(1.0, static_cast<double>(most_intervals) / static_cast<double>(shown));
  double const from_s = (end_s - shown_s) / 2;

  std::ostringstream to;
  to << "set encoding utf8\nset terminal svg noenhanced size 900," << 3 * (130 + 18 * ranks)
     << " background 'white' font 'sans-serif,13'\nset multiplot layout 3,1\nset border 3\nset tics out nomirror scale "
        "0.5\n"
     << "set xrange [" << from_s << ":" << from_s + shown_s << "]\nset yrange [" << static_cast<double>(ranks) - 0.5
     << ":-0.5]\n"
     << "set ylabel 'rank'\nset xlabel 'time [s]'\nset key outside top right horizontal\nset ytics 1\nset style fill "
        "solid 1 noborder\n";
  if (ranks > 8) to << "set ytics 4\n";
  for (auto const& [name, all] : panels) {
    to << "set title " << base::gnuplot_text(name) << '\n';
    for (bool const computes : {true, false}) {
      to << (computes ? "$computes" : "$waits") << " << END\n" << from_s << " -9 " << from_s << ' ' << from_s << '\n';
      for (timeline::interval const& i : all) {
        if (i.computes == computes && i.end_s > from_s && i.start_s < from_s + shown_s)
          to << i.start_s << ' ' << i.rank << ' ' << i.start_s << ' ' << i.end_s << '\n';
      }
      to << "END\n";
    }
    to << "plot $computes using 1:2:3:4:($2-0.4):($2+0.4) with boxxyerror lc rgb '" << color(0)
       << "' title 'computes', "
       << "$waits using 1:2:3:4:($2-0.4):($2+0.4) with boxxyerror lc rgb '" << color(5) << "' title 'waits'\n";
  }
  to << "unset multiplot\n";
  return to.str();
}

}  // namespace

std::string speed_ups(mpi::overlap_study const& study, std::string const& file) {
  std::map<double, std::vector<mpi::overlap_point const*>> by_latency;
  for (mpi::overlap_point const& at : study.points) by_latency[at.latency_s].push_back(&at);
  std::vector<std::string> legend;
  for (auto const& [latency_s, points] : by_latency) {
    for (char const* pattern : {"measured", "ideal"}) {
      std::ostringstream label;
      label << pattern << ", latency " << 1e6 * latency_s << " us";
      legend.push_back(label.str());
    }
  }
  std::ostringstream to;
  to << beginning_of({file, "Faster by overlap", {}, legend, 3}) << "set logscale x\nset format x '%g'\n"
     << "set xlabel 'bandwidth [MB/s]'\nset ylabel 'faster by [%]'\n";
  std::string plots;
  std::size_t series = 0;
  for (auto const& [latency_s, points] : by_latency) {
    for (double mpi::overlap_point::*overlapped_s : {&mpi::overlap_point::measured_s, &mpi::overlap_point::ideal_s}) {
      to << "$series" << series << " << END\n";
      for (mpi::overlap_point const* at : points)
        to << 1e-6 * at->bandwidth_Bps << ' ' << 100 * (at->original_s / at->*overlapped_s - 1) << '\n';
      to << "END\n";
      plots += (plots.empty() ? "" : ", ") + ("$series" + std::to_string(series)) + " using 1:2 with linespoints lw 2" +
               style(series, legend[series]);
      ++series;
    }
  }
  to << "plot " << plots << '\n';
  return to.str();
}

std::string overlap_page(mpi::trace const& original, mpi::overlap_study const& study,
                         mpi::study_options const& options) {
  std::string const title =
      "Overlap of " + original.name + ", " + std::to_string(original.ranks.size()) + " ranks, on " + options.platform;
  html_page page(title, text_of(study));
  if (study.points.size() > 1)
    page.figure(speed_ups(study, "speed-up.svg"),
                "How much faster the overlapped program is, over the network's bandwidth");
  if (auto const* profile = longest<mpi::send>(original); profile != nullptr)
    page.figure(accesses(*profile, "Production of a message", "interval from the send before to the send"),
                "When each piece of one of the longest messages was stored last");
  if (auto const* profile = longest<mpi::receive>(original); profile != nullptr)
    page.figure(accesses(*profile, "Consumption of a message", "interval from the receive to the next one"),
                "When each piece of one of the longest messages was loaded first");
  page.figure(timelines(original, options), "What ranks do, on one scale of time");
  return page.end();
}

}  // namespace ovlp::tools
