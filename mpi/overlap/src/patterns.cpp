// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/patterns.hpp>

#include <algorithm>
#include <variant>
#include <vector>

namespace ovlp::mpi {
namespace {

/// In order of time; pieces without an access have this one.
std::vector<float> in_order(access_profile const& profile, float without) {
  std::vector<float> times = profile.shares;
  std::replace(times.begin(), times.end(), access_profile::never, without);
  std::sort(times.begin(), times.end());
  return times;
}

/// When so many quarters of all pieces have been accessed: with the last piece that is needed for that.
double accessed(std::vector<float> const& times, std::size_t quarters) {
  return times[std::max<std::size_t>(1, (times.size() * quarters + 3) / 4) - 1];
}

/// When the first piece beyond so many quarters is accessed.
double accessed_beyond(std::vector<float> const& times, std::size_t quarters) {
  return times[std::min(times.size() - 1, times.size() * quarters / 4)];
}

}  // namespace

access_patterns::production production_of(access_profile const& profile) {
  std::vector<float> const times = in_order(profile, 0);
  return {times.front(), accessed(times, 1), accessed(times, 2), times.back()};
}

access_patterns::consumption consumption_of(access_profile const& profile) {
  std::vector<float> const times = in_order(profile, 1);
  return {times.front(), accessed_beyond(times, 1), accessed_beyond(times, 2)};
}

access_patterns patterns_of(trace const& of) {
  access_patterns found;
  access_patterns::production produced{};
  access_patterns::consumption consumed{};
  for (trace_of_rank const& rank : of.ranks) {
    for (record const& r : rank.records) {
      if (auto const* out = std::get_if<send>(&r); out != nullptr && out->profile != none) {
        if (rank.profiles[out->profile].shares.empty()) continue;
        access_patterns::production const one = production_of(rank.profiles[out->profile]);
        produced.first += one.first, produced.quarter += one.quarter, produced.half += one.half,
            produced.whole += one.whole;
        ++found.sends;
      } else if (auto const* in = std::get_if<receive>(&r); in != nullptr && in->profile != none) {
        if (rank.profiles[in->profile].shares.empty()) continue;
        access_patterns::consumption const one = consumption_of(rank.profiles[in->profile]);
        consumed.nothing += one.nothing, consumed.quarter += one.quarter, consumed.half += one.half;
        ++found.receives;
      }
    }
  }
  auto const sends = static_cast<double>(found.sends), receives = static_cast<double>(found.receives);
  if (found.sends > 0) {
    found.produced = {produced.first / sends, produced.quarter / sends, produced.half / sends, produced.whole / sends};
  }
  if (found.receives > 0)
    found.consumed = {consumed.nothing / receives, consumed.quarter / receives, consumed.half / receives};
  return found;
}

}  // namespace ovlp::mpi
