// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/assemble.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/mpi/check.hpp>
#include <ovlp/mpi/describe.hpp>

namespace ovlp::mpi {
namespace {

std::string describe(raw::event const& what) {
  if (auto const* its = std::get_if<raw::send>(&what)) return "a send of " + std::to_string(its->bytes) + " bytes";
  if (std::holds_alternative<raw::receive>(what)) return "a receive";
  if (std::holds_alternative<raw::wait>(what)) return "the end of a non-blocking call";
  return "the collective call " + std::string(name_of(std::get<raw::counted_collective>(what).what));
}

/// Whether they are the same call of the program. To whom it sends, and what ends first, may depend on chance.
bool same_call(raw::event const& a, raw::event const& b) {
  if (a.index() != b.index()) return false;
  if (auto const* its = std::get_if<raw::send>(&a)) return its->bytes == std::get<raw::send>(b).bytes;
  if (auto const* its = std::get_if<raw::counted_collective>(&a)) {
    return its->what == std::get<raw::counted_collective>(b).what;
  }
  return true;
}

/// The communicators of all ranks, each once.
class communicator_table {
 public:
  explicit communicator_table(std::vector<raw::rank> const& ranks) {
    for (raw::rank const& one : ranks) {
      auto& its = indices_.emplace_back();
      for (raw::members const& named : one.communicators) its.push_back(add(named, one));
    }
  }
  index of(rank_id rank, std::uint32_t id) const { return indices_[static_cast<std::size_t>(rank)][id]; }
  std::vector<std::vector<rank_id>> const& members() const { return members_; }

 private:
  index add(raw::members const& named, raw::rank const& by) {
    auto const [known, is_new] = by_key_.try_emplace(named.key, static_cast<index>(members_.size()));
    if (is_new) members_.push_back(named.ranks);
    if (members_[known->second] != named.ranks)
      throw config_error(by.file + ": its communicator '" + named.key + "' has other members than the other ranks say");
    return known->second;
  }

  std::vector<std::vector<index>> indices_;  // of each rank, by its numbers
  std::map<std::string, index> by_key_;
  std::vector<std::vector<rank_id>> members_;
};

/// One rank's clock of accesses on its compute clock: between calls of MPI both go evenly.
class clock_fit {
 public:
  clock_fit(raw::rank const& recorded, raw::rank const& timed)
      : began_s_(timed.about.when.compute_s), clocks_{recorded.about.when.clock}, seconds_{0} {
    for (std::size_t i = 0; i < recorded.events.size(); ++i) add(when(recorded.events[i]), when(timed.events[i]));
    add(recorded.end, timed.end);
  }
  /// At the so-maniest call; the one after the last is the end.
  double at_call(std::size_t number) const { return seconds_[number + 1]; }
  /// What the rank did later is not known.
  bool knows(std::uint64_t clock) const { return clock <= clocks_.back(); }
  double operator()(std::uint64_t clock) const {
    auto const above =
        static_cast<std::size_t>(std::lower_bound(clocks_.begin(), clocks_.end(), clock) - clocks_.begin());
    if (above == 0) return 0;
    if (above == clocks_.size()) return seconds_.back();
    double const share =
        static_cast<double>(clock - clocks_[above - 1]) / static_cast<double>(clocks_[above] - clocks_[above - 1]);
    return seconds_[above - 1] + share * (seconds_[above] - seconds_[above - 1]);
  }

 private:
  void add(raw::moment const& recorded, raw::moment const& timed) {
    clocks_.push_back(recorded.clock);
    seconds_.push_back(timed.compute_s - began_s_);
  }
  double const began_s_;
  std::vector<std::uint64_t> clocks_;
  std::vector<double> seconds_;
};

access_profile on_compute_clock(raw::profile const& its, clock_fit const& fit, double begin_s, double end_s) {
  access_profile made{std::min(begin_s, end_s), end_s, {}};
  double const length_s = made.end_s - made.begin_s;
  for (std::uint64_t const time : its.times) {
    double const share = length_s > 0 ? (fit(time) - made.begin_s) / length_s : 0;
    bool const is_known = time != raw::never && fit.knows(time);
    made.shares.push_back(!is_known ? access_profile::never : static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  return made;
}

/// The trace of one rank.
class rank_assembly {
 public:
  rank_assembly(raw::rank const& recorded, raw::rank const& timed, communicator_table const& communicators)
      : recorded_(recorded), communicators_(communicators), fit_(recorded, timed) {}

  trace_of_rank make() {
    for (place_ = 0; place_ < recorded_.events.size(); ++place_) {
      compute_until(fit_.at_call(place_));
      std::visit([this](auto const& what) { add(what); }, recorded_.events[place_]);
    }
    compute_until(fit_.at_call(place_));
    return std::move(made_);
  }

 private:
  void compute_until(double time_s) {
    if (time_s > now_s_) made_.records.emplace_back(compute{time_s - now_s_});
    now_s_ = time_s;
  }
  void add(raw::send const& its) {
    send made = its;
    if (auto const* const seen = accesses()) made.profile = add_profile(*seen, fit_(seen->begin), now_s_);
    put(made);
  }
  void add(raw::receive const& its) {
    if (its.from < 0)
      throw config_error(recorded_.file + ": call " + std::to_string(place_) +
                         " receives from any source, and was never waited for");
    receive made = its;
    if (auto const* const seen = accesses()) made.profile = add_profile(*seen, now_s_, fit_(seen->end));
    put(made);
  }
  void add(raw::wait const& its) { made_.records.emplace_back(wait{its.request}); }
  void add(raw::counted_collective const& its) {
    collective made = static_cast<collective const&>(its);  // without its counts, which stand in a table
    made.counts = its.bytes_of_rank.empty() ? none : static_cast<index>(made_.counts.size());
    if (made.counts != none) made_.counts.push_back(its.bytes_of_rank);
    put(made);
  }
  template <class Call>
  void put(Call made) {
    made.communicator = communicators_.of(recorded_.about.rank, made.communicator);
    made_.records.emplace_back(made);
  }
  /// Of the message at hand; nothing if they are not known.
  raw::profile const* accesses() const {
    auto const found = recorded_.profiles.find(place_);
    return found == recorded_.profiles.end() || found->second.times.empty() ? nullptr : &found->second;
  }
  index add_profile(raw::profile const& seen, double begin_s, double end_s) {
    made_.profiles.push_back(on_compute_clock(seen, fit_, begin_s, end_s));
    return static_cast<index>(made_.profiles.size() - 1);
  }

  raw::rank const& recorded_;
  communicator_table const& communicators_;
  clock_fit const fit_;
  std::size_t place_ = 0;  // of the event at hand
  double now_s_ = 0;       // compute clock
  trace_of_rank made_;
};

std::vector<std::string> notes_of(std::vector<raw::rank> const& ranks) {
  std::map<std::pair<std::string, bool>, raw::unseen> unseen;
  for (raw::rank const& one : ranks) {
    for (auto const& [sum, call] : one.unseen) {
      raw::unseen& total = unseen[{call, sum.receives != 0}];
      total.messages += sum.messages;
      total.words += sum.words;
      total.unseen_words += sum.unseen_words;
    }
  }
  std::vector<std::string> notes;
  for (auto const& [call, sum] : unseen) {
    double const percent = 100.0 * static_cast<double>(sum.unseen_words) / static_cast<double>(sum.words);
    notes.push_back(call.first + ": no instrumented code has " + (call.second ? "loaded " : "stored ") +
                    base::fixed(percent, 1) + " % of what " + std::to_string(sum.messages) + " messages " +
                    (call.second ? "brought" : "took"));
  }
  return notes;
}

std::vector<left_out_calls> left_out_of(std::vector<raw::rank> const& ranks) {
  std::map<std::string, left_out_calls> sums;
  for (raw::rank const& one : ranks) {
    for (auto const& [name, calls] : one.left_out) {
      left_out_calls& sum = sums.try_emplace(name, left_out_calls{name, 0, 0}).first->second;
      sum.calls += calls;
      ++sum.ranks;
    }
  }
  std::vector<left_out_calls> all;
  for (auto& [name, sum] : sums) all.push_back(std::move(sum));
  return all;
}

// Runs that differ: programs that go on for a time do not always do so as often.

/// Where the runs of a rank part; nothing: nowhere.
std::optional<std::size_t> first_difference(raw::rank const& recorded, raw::rank const& timed) {
  auto const [here, there] = std::mismatch(recorded.events.begin(), recorded.events.end(), timed.events.begin(),
                                           timed.events.end(), same_call);
  if (here == recorded.events.end() && there == timed.events.end()) return {};
  return here - recorded.events.begin();
}

std::string describe_difference(raw::rank const& recorded, raw::rank const& timed, std::size_t at) {
  auto const of = [at](raw::rank const& run) { return at < run.events.size() ? describe(run.events[at]) : "none"; };
  return "rank " + std::to_string(recorded.about.rank) + " has not done the same in both runs: its call " +
         std::to_string(at + 1) + " is " + of(recorded) + " where accesses, and " + of(timed) +
         " where times were recorded";
}

/// Behind each of the first calls of a rank, those that are blocking collectives of all ranks: its place.
std::vector<std::size_t> common_places(raw::rank const& of, std::size_t calls) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < calls; ++i) {
    auto const* const met = std::get_if<raw::counted_collective>(&of.events[i]);
    bool const of_all = met != nullptr && met->request == none &&
                        of.communicators[met->communicator].ranks.size() == static_cast<std::size_t>(of.about.ranks);
    if (of_all) places.push_back(i + 1);
  }
  return places;
}

/// Whether all messages of these first calls of the ranks have both ends among them, and all ranks make the same
/// collectives.
bool are_whole(std::vector<raw::rank> const& ranks, std::vector<std::size_t> const& calls) {
  std::map<std::tuple<std::string, std::int32_t, rank_id, rank_id>, std::int64_t> under_way;
  std::map<std::string, std::map<rank_id, std::size_t>> collectives;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    rank_id const self = ranks[r].about.rank;
    auto const key = [&](auto const& its) { return ranks[r].communicators[its.communicator].key; };
    for (std::size_t i = 0; i < calls[r]; ++i) {
      raw::event const& what = ranks[r].events[i];
      if (auto const* s = std::get_if<raw::send>(&what)) ++under_way[{key(*s), s->tag, self, s->to}];
      if (auto const* m = std::get_if<raw::receive>(&what)) --under_way[{key(*m), m->tag, m->from, self}];
      if (auto const* c = std::get_if<raw::counted_collective>(&what)) {
        auto& made = collectives[key(*c)];
        if (made.empty()) {
          for (rank_id const member : ranks[r].communicators[c->communicator].ranks) made[member] = 0;
        }
        ++made[self];
      }
    }
  }
  auto const is_done = [](auto const& one) { return one.second == 0; };
  auto const is_same = [](auto const& one) {
    return std::ranges::all_of(one.second, [&](auto const& of) { return of.second == one.second.begin()->second; });
  };
  return std::ranges::all_of(under_way, is_done) && std::ranges::all_of(collectives, is_same);
}

/// The rank's run, as if it had ended at the last of so many calls.
raw::rank first_calls(raw::rank const& of, std::size_t calls) {
  raw::rank made = of;
  made.events.resize(calls);
  made.profiles.erase(made.profiles.lower_bound(calls), made.profiles.end());
  made.end = when(made.events.back());
  return made;
}

struct common_part {
  std::vector<raw::rank> recorded, timed;
  std::string note;  ///< what it is, in a line
};

/// What runs that differ have in common: up to a collective call of all ranks. Errors: config_error: there is none.
std::optional<common_part> common_part_of(std::vector<raw::rank> const& recorded, std::vector<raw::rank> const& timed) {
  std::vector<std::vector<std::size_t>> places;
  std::string difference;
  std::size_t most = std::numeric_limits<std::size_t>::max();
  for (std::size_t r = 0; r < recorded.size(); ++r) {
    std::optional<std::size_t> const at = first_difference(recorded[r], timed[r]);
    if (at && difference.empty()) difference = describe_difference(recorded[r], timed[r], *at);
    places.push_back(common_places(recorded[r], at.value_or(recorded[r].events.size())));
    most = std::min(most, places.back().size());
  }
  if (difference.empty()) return {};
  constexpr std::size_t most_tries = 64;  // messages may be under way at one collective, but hardly at all of them
  for (std::size_t count = most; count > 0 && most - count < most_tries; --count) {
    std::vector<std::size_t> calls;
    for (auto const& of_rank : places) calls.push_back(of_rank[count - 1]);
    if (!are_whole(recorded, calls)) continue;
    common_part made;
    double kept_s = 0, all_s = 0;
    for (std::size_t r = 0; r < recorded.size(); ++r) {
      made.recorded.push_back(first_calls(recorded[r], calls[r]));
      made.timed.push_back(first_calls(timed[r], calls[r]));
      kept_s += made.timed[r].end.compute_s - timed[r].about.when.compute_s;
      all_s += timed[r].end.compute_s - timed[r].about.when.compute_s;
    }
    made.note = difference + "; the trace has what they have in common, up to collective call " +
                std::to_string(count) + " of all ranks: " + base::fixed(kept_s, 3) + " of the " +
                base::fixed(all_s, 3) + " s that the ranks compute";
    return made;
  }
  throw config_error(difference);
}

}  // namespace

assembled assemble(std::string const& name, std::vector<raw::rank> const& recorded,
                   std::vector<raw::rank> const& timed) {
  if (timed.size() != recorded.size())
    throw config_error("there are " + std::to_string(recorded.size()) + " ranks where accesses, and " +
                       std::to_string(timed.size()) + " where times were recorded");
  for (raw::rank const& one : recorded) {
    if (one.about.instrumented == 0)
      throw config_error(one.file +
                         ": the program has no instrumented code: expected one compiled by ovlp-mpicc, "
                         "ovlp-mpicxx or ovlp-mpif90");
  }
  communicator_table const communicators(recorded);
  std::optional<common_part> const common = common_part_of(recorded, timed);
  assembled all{{name, {}, communicators.members(), left_out_of(recorded)}, notes_of(recorded)};
  if (common) all.notes.push_back(common->note);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    raw::rank const& here = common ? common->recorded[i] : recorded[i];
    all.made.ranks.push_back(rank_assembly(here, common ? common->timed[i] : timed[i], communicators).make());
  }
  check(all.made);
  check_bytes_of_collectives(all.made);
  return all;
}

}  // namespace ovlp::mpi
