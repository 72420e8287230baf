// SPDX-License-Identifier: BSD-3-Clause
#include "messages.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "shadow.hpp"

namespace ovlp::mpi::tracer {
namespace {

/// Calls it for each word of the message with an address in it and the piece that it belongs to. A word in which two
/// pieces meet comes once for each.
template <class Use>
void for_words(blocks const& all, Use const& use) {
  constexpr std::uintptr_t word_bytes = 1U << word_bits;
  std::uint64_t const piece = raw::piece_bytes(bytes_of(all));
  std::uint64_t offset = 0;
  for (block const& one : all) {
    for (std::uintptr_t at = one.begin; at < one.end;) {
      std::uint64_t const step = std::min({word_bytes - at % word_bytes, piece - offset % piece, one.end - at});
      use(at, offset / piece);
      at += step;
      offset += step;
    }
  }
}

std::uint64_t stored_at(std::uintptr_t address) {
  std::uint64_t const* const page = memory.stored.page(address);
  return page == nullptr ? 0 : page[page_table::word(address)];
}

/// `otherwise`: where nothing is known of its page.
std::uint64_t& time_in(page_table& of, std::uintptr_t address, std::uint64_t otherwise) {
  std::uint64_t* page = of.page(address);
  if (page == nullptr) page = add_page(of, address, otherwise);
  return page[page_table::word(address)];
}
std::uint64_t& sent_at(std::uintptr_t address) { return time_in(memory.sent, address, 0); }
std::uint64_t& loaded_at(std::uintptr_t address) { return time_in(memory.loaded, address, not_awaited); }

/// Where a call is, for people: the file, and the function or the place in the file.
std::string place(void const* from) {
  Dl_info found{};
  if (::dladdr(from, &found) == 0 || found.dli_fname == nullptr) return "unknown code";
  std::string const file = found.dli_fname;
  std::string text = file.substr(file.rfind('/') + 1);
  if (found.dli_sname != nullptr) return text + ": " + found.dli_sname;
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%zx",
                static_cast<std::size_t>(static_cast<char const*>(from) - static_cast<char const*>(found.dli_fbase)));
  return text + offset;
}

}  // namespace

std::uint64_t messages::send_before(blocks const& sent_memory) {
  std::vector<std::uint64_t> times;
  for_words(sent_memory, [&](std::uintptr_t at, std::uint64_t) { times.push_back(sent_at(at)); });
  if (times.empty()) return 0;
  auto const median = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), median, times.end());
  return *median;
}

std::uint64_t messages::begin_of_interval(blocks const& sent_memory, int to, std::uint64_t now) {
  std::uint64_t const begin = send_before(sent_memory);
  if (sent_memory.empty()) return begin;
  bool stored_since = false;
  for_words(sent_memory,
            [&](std::uintptr_t at, std::uint64_t) { stored_since = stored_since || stored_at(at) > begin; });
  auto const [found, is_first] = last_sends_.try_emplace(sent_memory.front().begin);
  last_send& last = found->second;
  bool const went_there = std::find(last.to.begin(), last.to.end(), to) != last.to.end();
  if (is_first || stored_since || went_there || last.end != begin) last = {begin, now, {}};
  last.end = now;
  last.to.push_back(to);
  return last.begin;
}

void messages::sent(std::uint64_t message, blocks const& sent_memory, int to, std::uint64_t now, void const* from) {
  if (!memory.instrumented) return;
  std::uint64_t const begin = begin_of_interval(sent_memory, to, now);
  std::uint64_t words = 0, unseen_words = 0;
  std::vector<std::uint64_t> times(raw::pieces(bytes_of(sent_memory)), raw::never);
  for_words(sent_memory, [&](std::uintptr_t at, std::uint64_t piece) {
    std::uint64_t const stored = std::min(stored_at(at), now);  // another thread may have stored meanwhile
    ++words;
    if (stored == 0) ++unseen_words;
    if (stored > begin) {
      times[piece] = std::max(times[piece], stored);
    } else if (stored > sent_at(at)) {  // it has been ready when the interval began
      times[piece] = std::max(times[piece], begin);
    }
  });
  for_words(sent_memory, [&](std::uintptr_t at, std::uint64_t) { sent_at(at) = now; });
  file_.put(raw::kind::accesses, raw::accesses{message, begin, now, static_cast<std::uint32_t>(times.size())});
  file_.put_times(begin, times);
  count_unseen(from, false, words, unseen_words);
}

void messages::received(std::uint64_t message, blocks const& to, std::uint64_t posted, std::uint64_t now,
                        void const* from) {
  if (!memory.instrumented) return;
  overwritten(to, posted);
  for_words(to, [](std::uintptr_t at, std::uint64_t) { loaded_at(at) = 0; });
  for (block const& one : to) received_blocks_[one.begin] = {one.end, message};
  arrivals_.emplace(message, arrival{message, posted, now, to, from});
}

void messages::overwritten(blocks const& by, std::uint64_t posted) {
  for (block const& one : by) {
    auto found = received_blocks_.lower_bound(one.begin);
    if (found != received_blocks_.begin() && std::prev(found)->second.first > one.begin) --found;
    while (found != received_blocks_.end() && found->first < one.end) {
      auto const ended = arrivals_.extract(found->second.second);
      end_interval_of(ended.mapped(), posted);
      for (block const& its : ended.mapped().memory) received_blocks_.erase(its.begin);
      found = received_blocks_.lower_bound(one.begin);
    }
  }
}

void messages::end_interval_of(arrival const& ended, std::uint64_t end) {
  std::uint64_t words = 0, unseen_words = 0;
  end = std::max(end, ended.arrived);
  std::vector<std::uint64_t> times(raw::pieces(bytes_of(ended.memory)), raw::never);
  for_words(ended.memory, [&](std::uintptr_t at, std::uint64_t piece) {
    std::uint64_t& loaded = loaded_at(at);
    ++words;
    if (loaded == 0) ++unseen_words;
    // A word that two messages share may have been loaded already when this one came.
    if (loaded <= ended.arrived) return;
    times[piece] = times[piece] == raw::never ? loaded : std::min(times[piece], loaded);
    end = std::max(end, loaded);
  });
  for_words(ended.memory, [](std::uintptr_t at, std::uint64_t) {
    if (loaded_at(at) == 0) loaded_at(at) = not_awaited;
  });
  file_.put(raw::kind::accesses,
            raw::accesses{ended.message, ended.posted, end, static_cast<std::uint32_t>(times.size())});
  file_.put_times(ended.posted, times);
  count_unseen(ended.from, true, words, unseen_words);
}

void messages::count_unseen(void const* from, bool receives, std::uint64_t words, std::uint64_t unseen_words) {
  raw::unseen& sum = unseen_[{from, receives}];
  ++sum.messages;
  sum.words += words;
  sum.unseen_words += unseen_words;
  sum.receives = receives ? 1 : 0;
}

void messages::end(std::uint64_t now) {
  for (auto const& [message, one] : arrivals_) end_interval_of(one, now);
  arrivals_.clear();
  for (auto const& [call, sum] : unseen_) {
    if (sum.unseen_words == 0) continue;
    file_.put(raw::kind::unseen, sum);
    file_.put_text(place(call.first));
  }
}

}  // namespace ovlp::mpi::tracer
