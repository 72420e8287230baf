// SPDX-License-Identifier: BSD-3-Clause
#include "run_summary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ovlp::testing {

std::int64_t to_ns(double time_s) { return std::llround(time_s * 1e9); }

namespace {

std::string text(std::string const& name) { return name; }
std::string text(int number) { return std::to_string(number); }
std::string text(std::pair<std::string, std::string> const& way) { return way.first + " to " + way.second; }
template <class Map>
std::string text_of(Map const& values) {
  std::string all;
  for (auto const& [of, value] : values) all += text(of) + ": " + std::to_string(value) + "; ";
  return all;
}

}  // namespace

void compare(run_summary const& read, run_summary const& expected) {
  CHECK(text_of(read.steps_of_operation) == text_of(expected.steps_of_operation));
  CHECK(text_of(read.steps_of_iteration) == text_of(expected.steps_of_iteration));
  CHECK(text_of(read.steps_at) == text_of(expected.steps_at));
  CHECK(text_of(read.busy_ns) == text_of(expected.busy_ns));
  CHECK(text_of(read.kernels) == text_of(expected.kernels));
  CHECK(text_of(read.kernel_ns) == text_of(expected.kernel_ns));
  CHECK(text_of(read.waited_ns) == text_of(expected.waited_ns));
  CHECK(read.messages == expected.messages);
  CHECK(text_of(read.bytes_out) == text_of(expected.bytes_out));
  CHECK(text_of(read.bytes_in) == text_of(expected.bytes_in));
  if (!read.bytes_between.empty()) CHECK(text_of(read.bytes_between) == text_of(expected.bytes_between));
}

std::string kept_records::place(operation_place const& at) const {
  std::uint32_t const collection = names.graphs[at.graph].operations[at.operation].collection;
  return names.collections[collection] + '[' + std::to_string(at.thread) + "] node" + std::to_string(at.node);
}

run_summary kept_records::summary() const {
  run_summary all;
  for (step_record const& s : steps) {
    ++all.steps_of_operation[operation(s.at)];
    ++all.steps_of_iteration[s.at.iteration];
    ++all.steps_at[place(s.at)];
    all.busy_ns[place(s.at)] += to_ns(s.end_s) - to_ns(s.start_s);
  }
  for (kept_kernel const& k : kernels) {
    ++all.kernels[k.name];
    all.kernel_ns[k.name] += to_ns(k.is.end_s) - to_ns(k.is.start_s);
  }
  // Between the steps of a place: what the one of its suspended operations waits for that goes on first.
  constexpr std::array causes{"object", "window", "condition", "call", "change"};
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> steps_of;
  for (step_record const& s : steps) steps_of[place(s.at)].emplace_back(to_ns(s.start_s), to_ns(s.end_s));
  for (auto& [where, own] : steps_of) {
    std::sort(own.begin(), own.end());
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::int64_t const free_ns = i == 0 ? 0 : own[i - 1].second, busy_ns = own[i].first;
      wait_record const* first = nullptr;
      for (wait_record const& w : waits) {
        bool const waits_here = place(w.at) == where && to_ns(w.start_s) < busy_ns && to_ns(w.end_s) > free_ns;
        if (waits_here && (first == nullptr || w.end_s < first->end_s)) first = &w;
      }
      if (first == nullptr || free_ns >= busy_ns) continue;
      all.waited_ns[causes.at(static_cast<std::size_t>(first->cause))] +=
          std::min(busy_ns, to_ns(first->end_s)) - std::max(free_ns, to_ns(first->start_s));
    }
  }
  for (transfer_record const& t : transfers) {
    ++all.messages;
    std::string const source = "node" + std::to_string(t.source), destination = "node" + std::to_string(t.destination);
    all.bytes_out[source] += t.bytes;
    all.bytes_in[destination] += t.bytes;
    std::string from = "runtime " + source, to = "runtime " + destination;
    for (post_record const& p : posts) {
      auto const& operations = names.graphs[p.at.graph].operations;
      if (!(p.object == t.object) || p.object.operation >= operations.size()) continue;
      std::string const target =
          names.collections[operations[p.object.operation].collection] + '[' + std::to_string(p.to_thread) + "] ";
      from = p.at.node == t.source ? place(p.at) : target + source;
      to = target + destination;
    }
    all.bytes_between[{from, to}] += t.bytes;
  }
  return all;
}

}  // namespace ovlp::testing
