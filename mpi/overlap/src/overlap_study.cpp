// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/overlap_study.hpp>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::mpi {
namespace {

using nlohmann::json;

constexpr double widest = 1e6;           // bandwidths from the platform's / so much to the platform's * so much
constexpr double most_bandwidth = 1e15;  // of any platform
constexpr double bisected_to = 1e-4;     // relative to the bandwidth
constexpr double same_time = 1e-9;       // relative

int bisections() { return static_cast<int>(std::ceil(std::log2(2 * std::log(widest) / std::log1p(bisected_to)))); }

/// Replays traces on variants of one platform.
class replayer {
 public:
  explicit replayer(study_options const& options)
      : options_(options), platform_(base::parse_json(machine::platform::text_of(options.platform), options.platform)) {
    for (char const* key : {"bandwidth_Bps", "latency_s"}) {
      if (!platform_.contains("network") || !platform_["network"].contains(key)) {
        throw config_error("--platform " + options.platform + ": expected a network with " + key +
                           ", which a study of overlap changes");
      }
    }
  }

  double bandwidth() const { return platform_["network"]["bandwidth_Bps"]; }
  double latency_s() const { return platform_["network"]["latency_s"]; }

  double time_s(trace const& of, double bandwidth, double latency_s) const {
    json changed = platform_;
    changed["network"]["bandwidth_Bps"] = bandwidth;
    changed["network"]["latency_s"] = latency_s;
    machine::platform const on = machine::platform::parse(changed.dump(), options_.platform);
    double const time_s = replay(of, on, replay_of(options_, of.ranks.size(), on)).time_s;
    if (options_.progress) options_.progress(1);
    return time_s;
  }
  double time_s(trace const& of) const { return time_s(of, bandwidth(), latency_s()); }

  /// The least bandwidth with which the trace takes no longer.
  std::optional<double> bandwidth_for(trace const& of, double wanted_s) const {
    double low = bandwidth() / widest, high = std::min(bandwidth() * widest, most_bandwidth);
    auto const reached = [&](double at) { return time_s(of, at, latency_s()) <= wanted_s * (1 + same_time); };
    if (!reached(high) || reached(low)) return std::nullopt;
    while (high > low * (1 + bisected_to)) {
      double const middle = std::sqrt(low * high);
      (reached(middle) ? high : low) = middle;
    }
    return high;
  }

 private:
  study_options const& options_;
  json platform_;
};

std::vector<double> or_else(std::vector<double> given, double otherwise) {
  if (given.empty()) given.push_back(otherwise);
  return given;
}

struct mechanism {
  char const* name;
  void (*leave_out)(overlap_options&);
};
constexpr mechanism mechanisms[]{
    {"chunking", [](overlap_options& how) { how.chunks = 1; }},
    {"advancing", [](overlap_options& how) { how.advancing = false; }},
    {"postponing", [](overlap_options& how) { how.postponing = false; }},
    {"double buffering", [](overlap_options& how) { how.double_buffering = false; }},
};

}  // namespace

overlap_options overlap_of(study_options const& study, overlap_options::pattern from) {
  return {.from = from, .chunks = study.chunks, .eager_bytes = study.eager_bytes};
}

replay_options replay_of(study_options const& study, std::size_t ranks, machine::platform const& on) {
  return {
      .nodes = place_ranks(ranks, on, study.map), .eager_bytes = study.eager_bytes, .collectives = study.collectives};
}

std::size_t replays_of(study_options const& options) {
  return 3 * (1 + std::max<std::size_t>(1, options.bandwidths_Bps.size()) *
                      std::max<std::size_t>(1, options.latencies_s.size())) +
         2 * std::size(mechanisms) + 4 * (2 + static_cast<std::size_t>(bisections()));
}

overlap_study study_overlap(trace const& original, study_options const& options) {
  using pattern = overlap_options::pattern;
  trace const measured = overlapped(original, overlap_of(options, pattern::measured));
  trace const ideal = overlapped(original, overlap_of(options, pattern::ideal));
  replayer const on(options);
  auto const point = [&](double bandwidth, double latency_s) {
    auto const time_s = [&](trace const& of) { return on.time_s(of, bandwidth, latency_s); };
    return overlap_point{bandwidth, latency_s, time_s(original), time_s(measured), time_s(ideal)};
  };
  overlap_study found{
      patterns_of(original), patterns_by_bytes(original), point(on.bandwidth(), on.latency_s()), {}, {}, {}, {}};
  if (!(found.base.original_s > 0))
    throw config_error("the trace takes no time on the platform: nothing can be gained");
  for (mechanism const& m : mechanisms) {
    auto const time_s = [&](pattern from) {
      overlap_options how = overlap_of(options, from);
      m.leave_out(how);
      return on.time_s(overlapped(original, how));
    };
    found.ablations.push_back({m.name, time_s(pattern::measured), time_s(pattern::ideal)});
  }
  found.measured = {on.bandwidth_for(measured, found.base.original_s),
                    on.bandwidth_for(original, found.base.measured_s)};
  found.ideal = {on.bandwidth_for(ideal, found.base.original_s), on.bandwidth_for(original, found.base.ideal_s)};
  if (options.latencies_s.empty() && options.bandwidths_Bps.empty()) return found;
  for (double latency_s : or_else(options.latencies_s, on.latency_s())) {
    for (double bandwidth : or_else(options.bandwidths_Bps, on.bandwidth())) {
      found.points.push_back(point(bandwidth, latency_s));
    }
  }
  return found;
}

}  // namespace ovlp::mpi
