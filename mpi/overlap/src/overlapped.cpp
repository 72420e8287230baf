// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/overlapped.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/other_ends.hpp>

namespace ovlp::mpi {
namespace {

using pattern = overlap_options::pattern;

/// Shares of an interval are single precision: nearer to a call than that, an access may be on either side of it.
constexpr double tolerance = 1e-6;

/// What both ends of a message know of it.
struct message_end {
  std::uint32_t number = 0;  ///< of the messages between these two ranks in this communicator, as they were sent
  std::uint64_t bytes = 0;   ///< that were sent
};
using ends_of_rank = std::vector<message_end>;  ///< by place among the rank's records

std::vector<ends_of_rank> message_ends(trace const& of) {
  auto const others = other_ends(of);
  std::vector<ends_of_rank> ends;
  for (trace_of_rank const& rank : of.ranks) ends.emplace_back(rank.records.size());
  for (std::size_t rank = 0; rank < of.ranks.size(); ++rank) {
    std::map<std::pair<rank_id, index>, std::uint32_t> counts;
    for (std::size_t i = 0; i < ends[rank].size(); ++i) {
      index const other = others[rank][i];
      if (auto const* const call = std::get_if<send>(&of.ranks[rank].records[i])) {
        ends[rank][i] = {counts[{call->to, call->communicator}]++, call->bytes};
        if (other != none) ends[static_cast<std::size_t>(call->to)][other] = ends[rank][i];
      } else if (other == none && std::holds_alternative<receive>(of.ranks[rank].records[i])) {
        throw config_error(describe(of, static_cast<rank_id>(rank), i) + ": nobody sends that message");
      }
    }
  }
  return ends;
}

/// Before a record of a rank, or so far into it, if it is a computation.
struct place {
  std::size_t record;
  double offset_s;
  friend bool operator<(place const& a, place const& b) {
    return std::tie(a.record, a.offset_s) < std::tie(b.record, b.offset_s);
  }
};

/// Where a rank is in its records when its compute clock says so. The clock stands while it calls MPI, so that a time
/// may have several places.
class compute_clock {
 public:
  explicit compute_clock(std::vector<record> const& records) {
    starts_s_.reserve(records.size() + 1);
    double now_s = 0;
    for (record const& r : records) {
      starts_s_.push_back(now_s);
      if (auto const* burst = std::get_if<compute>(&r)) now_s += burst->duration_s;
    }
    starts_s_.push_back(now_s);
  }

  double at_s(std::size_t i) const { return starts_s_[i]; }
  /// The first place with this time, in the computation that leads to it.
  place first(double time_s) const {
    auto const next = std::lower_bound(starts_s_.begin(), starts_s_.end(), time_s);
    if (next == starts_s_.begin()) return {0, 0};
    if (next == starts_s_.end()) return {starts_s_.size() - 1, 0};
    auto const before = next - 1;  // it takes time, for it starts earlier than its successor
    return {static_cast<std::size_t>(before - starts_s_.begin()), time_s - *before};
  }
  /// The last one, in the computation that goes on from there.
  place last(double time_s) const {
    auto const next = std::upper_bound(starts_s_.begin(), starts_s_.end(), time_s);
    if (next == starts_s_.begin()) return {0, 0};
    auto const before = next - 1;
    return {static_cast<std::size_t>(before - starts_s_.begin()), next == starts_s_.end() ? 0 : time_s - *before};
  }

 private:
  std::vector<double> starts_s_;  ///< of each record; last, the end
};

/// A rank's records with its messages overlapped.
class overlapped_rank {
 public:
  overlapped_rank(trace_of_rank const& original, ends_of_rank const& ends, overlap_options const& how)
      : original_(original),
        records_(original.records),
        ends_(ends),
        how_(how),
        clock_(records_),
        replaced_(records_.size()) {
    find_completions();
  }

  std::vector<record> made() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (auto const* call = std::get_if<send>(&records_[i])) overlap(*call, i);
      if (auto const* call = std::get_if<receive>(&records_[i])) overlap(*call, i);
    }
    return merged();
  }

 private:
  struct insertion {
    place at;
    record what;
  };

  /// Where non-blocking calls end, and which records wait for other ranks.
  void find_completions() {
    std::size_t const end = records_.size();
    completions_.assign(end, end);
    waits_.assign(end, false);
    std::vector<std::size_t> begun;  // by request, its call
    for (std::size_t i = 0; i < end; ++i) {
      auto const* const ending = std::get_if<wait>(&records_[i]);
      index const request = ending != nullptr ? ending->request : request_of(records_[i]);
      if (ending != nullptr && (request >= begun.size() || begun[request] == end)) continue;
      if (ending == nullptr && request != none) {
        next_request_ = std::max(next_request_, request + 1);
        begun.resize(std::max<std::size_t>(begun.size(), next_request_), end);
        begun[request] = i;
      } else if (is_call(records_[i])) {
        std::size_t const call = ending != nullptr ? std::exchange(begun[request], end) : i;
        completions_[call] = i;
        waits_[i] = !std::holds_alternative<send>(records_[call]);
      }
    }
  }

  std::size_t chunks_of(std::size_t i) const {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(ends_[i].bytes, 1, how_.chunks));
  }
  std::uint64_t bytes_of(std::size_t i, std::size_t chunk) const {
    std::uint64_t const all = ends_[i].bytes, n = chunks_of(i);
    return all / n + all % n * (chunk + 1) / n - all % n * chunk / n;
  }
  std::int32_t tag_of(std::size_t i, std::size_t chunk) const {
    std::uint64_t const tag = std::uint64_t{ends_[i].number} * how_.chunks + chunk;
    if (tag > std::numeric_limits<std::int32_t>::max())
      throw config_error("expected fewer than 2^31 chunks between two ranks; --chunks makes it fewer");
    return static_cast<std::int32_t>(tag);
  }

  /// The non-blocking call of a chunk.
  template <class Call>
  Call part_of(Call call, std::size_t i, std::size_t chunk) {
    call.bytes = bytes_of(i, chunk);
    call.tag = tag_of(i, chunk);
    call.request = next_request_++;
    call.profile = none;
    return call;
  }

  void overlap(send const& call, std::size_t i) {
    std::size_t const end = replace(i);
    std::vector<insertion> waits;  // after all chunks' sends, also where both stand in one place
    for (std::size_t chunk = 0; chunk < chunks_of(i); ++chunk) {
      send part = part_of(call, i, chunk);
      part.how = how_.double_buffering || is_eager(call) ? protocol::eager : protocol::rendezvous;
      insertions_.push_back({how_.advancing ? ready(call, i, chunk) : place{i, 0}, part});
      waits.push_back({{end, 0}, wait{part.request}});
    }
    insertions_.insert(insertions_.end(), waits.begin(), waits.end());
  }

  bool is_eager(send const& call) const {
    return call.how == protocol::eager || (call.how == protocol::by_size && call.bytes <= how_.eager_bytes);
  }

  void overlap(receive const& call, std::size_t i) {
    std::size_t const end = replace(i);
    std::vector<insertion> waits;  // after all chunks' receives, also where both stand in one place
    for (std::size_t chunk = 0; chunk < chunks_of(i); ++chunk) {
      receive const part = part_of(call, i, chunk);
      insertions_.push_back({{i, 0}, part});
      waits.push_back({how_.postponing ? needed(call, i, end, chunk) : place{end, 0}, wait{part.request}});
    }
    insertions_.insert(insertions_.end(), waits.begin(), waits.end());
  }

  /// The call goes, and what waited for it. Returns where it had to have ended.
  std::size_t replace(std::size_t i) {
    std::size_t const end = completions_[i];
    replaced_[i] = true;
    if (end < records_.size()) replaced_[end] = true;
    return end;
  }

  /// When the chunk can be sent.
  place ready(send const& call, std::size_t i, std::size_t chunk) const {
    place const stood{i, 0};
    if (how_.from == pattern::ideal) {
      std::size_t begin = i;
      while (begin > 0 && !waits_[begin - 1]) --begin;
      double const begin_s = clock_.at_s(begin), burst_s = clock_.at_s(i) - begin_s;
      auto const part = static_cast<double>(chunk + 1) / static_cast<double>(chunks_of(i));
      return std::min(std::max(clock_.first(begin_s + part * burst_s), {begin, 0}), stood);
    }
    if (call.profile == none) return stood;
    access_profile const& stored = original_.profiles[call.profile];
    std::optional<float> last;
    for (float share : pieces_of(stored, i, chunk)) {
      if (share != access_profile::never) last = std::max(last.value_or(0), share);
    }
    place const earliest = clock_.last(stored.begin_s);
    if (!last) return std::min(earliest, stood);
    double const interval_s = stored.end_s - stored.begin_s, time_s = stored.begin_s + *last * interval_s;
    place const at = clock_.first(time_s), before = clock_.first(time_s - tolerance * interval_s);
    place const exact = before.record == at.record ? at : end_of(before);
    return std::min(std::max(exact, earliest), stood);
  }

  /// When the chunk is waited for.
  place needed(receive const& call, std::size_t i, std::size_t end, std::size_t chunk) const {
    place const stood{end, 0};
    if (how_.from == pattern::ideal) {
      std::size_t last = end;
      while (last < records_.size() && !gives(records_[last])) ++last;
      double const begin_s = clock_.at_s(end), burst_s = clock_.at_s(last) - begin_s;
      auto const part = static_cast<double>(chunk) / static_cast<double>(chunks_of(i));
      return std::max(std::min(clock_.last(begin_s + part * burst_s), {last, 0}), stood);
    }
    if (call.profile == none) return stood;
    access_profile const& loaded = original_.profiles[call.profile];
    float first = access_profile::never;
    for (float share : pieces_of(loaded, i, chunk)) first = std::min(first, share);
    if (first == access_profile::never) return std::max(clock_.first(loaded.end_s), stood);
    double const interval_s = loaded.end_s - loaded.begin_s, time_s = loaded.begin_s + first * interval_s;
    place const at = clock_.last(time_s), after = clock_.last(time_s + tolerance * interval_s);
    return std::max(after.record == at.record ? at : place{after.record, 0}, stood);
  }

  place end_of(place const& in) const {
    auto const* burst = std::get_if<compute>(&records_[in.record]);
    return {in.record, burst == nullptr ? 0 : burst->duration_s};
  }

  static bool gives(record const& r) {
    return std::holds_alternative<send>(r) || std::holds_alternative<collective>(r);
  }

  /// Those that the chunk shares a byte with.
  std::vector<float> pieces_of(access_profile const& profile, std::size_t i, std::size_t chunk) const {
    std::size_t const pieces = profile.shares.size(), n = chunks_of(i);
    auto const from = profile.shares.begin() + static_cast<std::ptrdiff_t>(pieces * chunk / n);
    auto const to = profile.shares.begin() + static_cast<std::ptrdiff_t>((pieces * (chunk + 1) + n - 1) / n);
    return {from, to};
  }

  std::vector<record> merged() {
    std::stable_sort(insertions_.begin(), insertions_.end(),
                     [](insertion const& a, insertion const& b) { return a.at < b.at; });
    std::vector<record> all;
    all.reserve(records_.size() + insertions_.size());
    auto next = insertions_.begin();
    for (std::size_t i = 0; i <= records_.size(); ++i) {
      auto const* burst = i < records_.size() ? std::get_if<compute>(&records_[i]) : nullptr;
      double done_s = 0;
      for (; next != insertions_.end() && next->at.record == i; ++next) {
        if (burst != nullptr && next->at.offset_s > done_s) {
          all.push_back(compute{next->at.offset_s - done_s});
          done_s = next->at.offset_s;
        }
        all.push_back(next->what);
      }
      if (i == records_.size() || replaced_[i]) continue;
      if (burst == nullptr) all.push_back(records_[i]);
      else if (burst->duration_s > done_s) all.push_back(compute{burst->duration_s - done_s});
    }
    return all;
  }

  trace_of_rank const& original_;
  std::vector<record> const& records_;
  ends_of_rank const& ends_;
  overlap_options const& how_;
  compute_clock const clock_;
  std::vector<bool> replaced_;
  std::vector<bool> waits_;               ///< the record goes on when another rank has come so far
  std::vector<std::size_t> completions_;  ///< of each send and receive, the record that it ends in
  std::vector<insertion> insertions_;
  index next_request_ = 0;
};

}  // namespace

trace overlapped(trace const& original, overlap_options const& how) {
  if (how.chunks == 0) throw config_error("chunks of a message: expected 1 or more, got 0");
  std::vector<ends_of_rank> const ends = message_ends(original);
  trace made{original.name, {}, original.communicators, original.left_out};
  for (std::size_t rank = 0; rank < original.ranks.size(); ++rank) {
    trace_of_rank const& was = original.ranks[rank];
    made.ranks.push_back({overlapped_rank(was, ends[rank], how).made(), {}, was.counts});
  }
  return made;
}

}  // namespace ovlp::mpi
