// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/mpi/raw_trace.hpp>

namespace ovlp::mpi::raw {
namespace {

class reader {
 public:
  explicit reader(std::string const& file) : contents_(base::read_file(file)), left_(contents_) { read_.file = file; }

  rank read() {
    if (take<std::array<char, 8>>() != magic) fail("is no file of a traced rank, or one of another version of ovlp");
    while (!ended_) {
      entry(take<kind>());
      ++entries_;
    }
    if (!left_.empty()) fail("goes on behind its end");
    drop_cancelled();
    return std::move(read_);
  }

 private:
  [[noreturn]] void fail(std::string const& what) const { throw config_error(read_.file + ": " + what); }

  std::string_view take_bytes(std::size_t count) {
    if (count > left_.size())
      fail("is cut short: the rank died, or was ended, before MPI_Finalize (after " +
           std::to_string(read_.events.size()) + " calls)");
    std::string_view const bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  template <class Value>
  std::vector<Value> take_values(std::size_t count) {
    std::string_view const bytes = take_bytes(count * sizeof(Value));
    std::vector<Value> values(count);
    if (count != 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::string take_text() { return std::string(take_bytes(take<std::uint32_t>())); }

  std::uint64_t take_packed() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      auto const byte = take<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail("is damaged: a number has more than 64 bits");
  }

  void entry(kind what) {
    switch (what) {
      case kind::begin:
        read_.about = take<begin>();
        read_.library = take_text();
        read_.program = take_text();
        if (read_.about.ranks < 1 || read_.about.rank < 0 || read_.about.rank >= read_.about.ranks)
          fail("is damaged: rank " + std::to_string(read_.about.rank) + " of " + std::to_string(read_.about.ranks));
        break;
      case kind::communicator: {
        auto const about = take<communicator>();
        if (about.id != read_.communicators.size()) fail("is damaged: communicators have no order");
        std::string key = take_text();
        read_.communicators.push_back({std::move(key), take_values<rank_id>(about.members)});
        break;
      }
      case kind::send:
        messages_.push_back(read_.events.size());
        add(take<send>());
        break;
      case kind::receive: {
        auto const its = take<receive>();
        messages_.push_back(read_.events.size());
        if (its.request != none) receives_[its.request] = read_.events.size();
        add(its);
        break;
      }
      case kind::received: complete(take<received>()); break;
      case kind::wait: add(take<wait>()); break;
      case kind::collective: {
        counted_collective met{take<collective>()};
        if (met.what > operation::exclusive_scan) fail("is damaged: there is no such collective call");
        met.bytes_of_rank = take_values<std::uint64_t>(met.counts);
        add(met);
        break;
      }
      case kind::accesses: profile_of_message(); break;
      case kind::unseen: {
        auto const sum = take<raw::unseen>();
        read_.unseen.push_back({sum, take_text()});
        break;
      }
      case kind::left_out: {
        auto const calls = take<raw::left_out>().calls;
        read_.left_out.emplace_back(take_text(), calls);
        break;
      }
      case kind::end: {
        auto const end = take<raw::end>();
        if (end.entries != entries_) fail("is damaged: it has not as many entries as its end says");
        read_.end = end.when;
        ended_ = true;
        break;
      }
      default: fail("is damaged: there is no kind " + std::to_string(static_cast<int>(what)));
    }
  }

  template <class Event>
  void add(Event const& what) {
    if constexpr (requires { what.how; }) {
      if (what.how > protocol::rendezvous) fail("is damaged: there is no such kind of send");
    }
    if constexpr (requires { what.communicator; }) {
      if (what.communicator >= read_.communicators.size()) fail("is damaged: a call has no communicator");
    }
    moment const& before = read_.events.empty() ? moment{} : when(read_.events.back());
    if (!(what.when.clock >= before.clock) || !(what.when.compute_s >= before.compute_s))
      fail("is damaged: time goes back at call " + std::to_string(read_.events.size()));
    read_.events.emplace_back(what);
  }

  void complete(received const& got) {
    auto const found = receives_.find(got.request);
    if (found == receives_.end()) fail("is damaged: something ends that has not begun");
    auto& its = std::get<receive>(read_.events[found->second]);
    its.from = got.from;
    its.tag = got.tag;
    its.bytes = got.bytes;
    if (got.cancelled != 0) cancelled_.push_back(its.request);
  }

  void profile_of_message() {
    auto const about = take<accesses>();
    if (about.message >= messages_.size() || about.begin > about.end || about.pieces > most_pieces)
      fail("is damaged: accesses of no message");
    profile its{about.begin, about.end, std::vector<std::uint64_t>(about.pieces)};
    std::uint64_t time = about.begin;
    for (std::uint64_t& one : its.times) {
      std::uint64_t const step = take_packed();
      one = time += (step >> 1) ^ (~(step & 1) + 1);
      if (one != never && (one < about.begin || one > about.end)) fail("is damaged: an access outside its interval");
    }
    read_.profiles[messages_[about.message]] = std::move(its);
  }

  /// They have received nothing, and nobody has waited.
  void drop_cancelled() {
    if (cancelled_.empty()) return;
    auto const is_cancelled = [&](event const& what) {
      std::uint32_t request = none;
      if (auto const* its = std::get_if<receive>(&what)) request = its->request;
      if (auto const* its = std::get_if<wait>(&what)) request = its->request;
      return request != none && std::find(cancelled_.begin(), cancelled_.end(), request) != cancelled_.end();
    };
    std::vector<event> kept;
    std::map<std::size_t, profile> profiles;
    for (std::size_t i = 0; i < read_.events.size(); ++i) {
      if (is_cancelled(read_.events[i])) continue;
      if (auto const found = read_.profiles.find(i); found != read_.profiles.end())
        profiles[kept.size()] = std::move(found->second);
      kept.push_back(std::move(read_.events[i]));
    }
    read_.events = std::move(kept);
    read_.profiles = std::move(profiles);
  }

  std::string const contents_;
  std::string_view left_;
  rank read_;
  bool ended_ = false;
  std::uint64_t entries_ = 0;
  std::vector<std::size_t> messages_;                        // places of sends and receives among the events
  std::unordered_map<std::uint32_t, std::size_t> receives_;  // request -> place
  std::vector<std::uint32_t> cancelled_;
};

}  // namespace

rank read_rank(std::string const& file) { return reader(file).read(); }

std::vector<rank> read_ranks(std::string const& folder) {
  std::vector<rank> all;
  auto const file_of = [&](std::size_t number) { return folder + "/rank-" + std::to_string(number) + ".raw"; };
  if (!std::filesystem::exists(file_of(0)))
    throw config_error(folder +
                       ": no rank has begun a trace: expected an MPI program that was linked by ovlp-mpicc, "
                       "ovlp-mpicxx or ovlp-mpif90, and calls MPI_Init");
  do {
    std::string const file = file_of(all.size());
    if (!std::filesystem::exists(file)) throw config_error(file + ": is missing: the rank has begun no trace");
    all.push_back(read_rank(file));
    begin const& its = all.back().about;
    if (its.rank != static_cast<rank_id>(all.size()) - 1 || its.ranks != all.front().about.ranks)
      throw config_error(file + ": is of rank " + std::to_string(its.rank) + " of " + std::to_string(its.ranks) +
                         ", and does not fit the others");
  } while (all.size() < static_cast<std::size_t>(all.front().about.ranks));
  return all;
}

}  // namespace ovlp::mpi::raw
