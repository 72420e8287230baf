// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/patterns.hpp>

#include <algorithm>
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

namespace {

/// Sums, and then averages.
class summary {
 public:
  void add(access_patterns::production const& one) {
    produced_.first += one.first, produced_.quarter += one.quarter, produced_.half += one.half,
        produced_.whole += one.whole;
    ++sends_;
  }
  void add(access_patterns::consumption const& one) {
    consumed_.nothing += one.nothing, consumed_.quarter += one.quarter, consumed_.half += one.half;
    ++receives_;
  }
  access_patterns average() const {
    access_patterns found;
    found.sends = sends_, found.receives = receives_;
    auto const sends = static_cast<double>(sends_), receives = static_cast<double>(receives_);
    if (sends_ > 0)
      found.produced = {produced_.first / sends, produced_.quarter / sends, produced_.half / sends,
                        produced_.whole / sends};
    if (receives_ > 0)
      found.consumed = {consumed_.nothing / receives, consumed_.quarter / receives, consumed_.half / receives};
    return found;
  }

 private:
  access_patterns::production produced_{};
  access_patterns::consumption consumed_{};
  std::size_t sends_ = 0, receives_ = 0;
};

/// Calls it with the size and the pattern of each message that has a profile.
template <class Function>
void each_pattern(trace const& of, Function const& function) {
  auto const with_profile = [&](rank_id rank, auto const& message, auto pattern_of) {
    if (message.profile == none) return;
    access_profile const& seen = of.ranks[static_cast<std::size_t>(rank)].profiles[message.profile];
    if (!seen.shares.empty()) function(message.bytes, pattern_of(seen));
  };
  each<send>(of, [&](rank_id rank, std::size_t, send const& s) { with_profile(rank, s, production_of); });
  each<receive>(of, [&](rank_id rank, std::size_t, receive const& r) { with_profile(rank, r, consumption_of); });
}

}  // namespace

access_patterns patterns_of(trace const& of) {
  summary all;
  each_pattern(of, [&](std::uint64_t, auto const& one) { all.add(one); });
  return all.average();
}

std::map<std::uint64_t, access_patterns> patterns_by_bytes(trace const& of) {
  std::map<std::uint64_t, summary> all;
  each_pattern(of, [&](std::uint64_t bytes, auto const& one) { all[bytes].add(one); });
  std::map<std::uint64_t, access_patterns> averages;
  for (auto const& [bytes, of_them] : all) averages.emplace(bytes, of_them.average());
  return averages;
}

}  // namespace ovlp::mpi
