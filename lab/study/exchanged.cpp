// SPDX-License-Identifier: BSD-3-Clause
#include "exchanged.hpp"

#include <map>
#include <tuple>

#include <ovlp/base/error.hpp>

namespace ovlp::lab::study {
namespace {

constexpr std::size_t most_threads = 4096;  // of all collections: what their matrix takes grows with the square

}  // namespace

exchanged::exchanged(recorded_run const& run) : run_(run), nodes_(run.names.collections.size()) {
  for (recorded_run::mapping const& m : run.mappings) {
    if (nodes_[m.collection].empty()) nodes_[m.collection].assign(m.nodes.begin(), m.nodes.end());  // the first one
  }
}

std::size_t exchanged::count() const {
  std::size_t sum = 0;
  for (auto const& nodes : nodes_) sum += nodes.size();
  return sum;
}

std::vector<std::string> exchanged::names() const {
  std::vector<std::string> all;
  for (std::size_t c = 0; c < nodes_.size(); ++c)
    for (std::size_t i = 0; i < nodes_[c].size(); ++i)
      all.push_back(run_.names.collections[c] + "[" + std::to_string(i) + "]");
  return all;
}

shared_memory::partition_problem exchanged::problem() const {
  if (count() > most_threads)
    throw config_error("expected at most " + std::to_string(most_threads) + " DPS threads, got " +
                       std::to_string(count()));
  shared_memory::partition_problem made{shared_memory::communication_matrix(count()), std::vector<double>(count()),
                                        run_.names.nodes};
  auto const thread_of = [&](recorded_run::place const& at) {
    recorded_run::residence const& in = run_.residences[at.residence];
    return number(in.collection, in.thread);
  };
  for (recorded_run::step const& s : run_.steps) made.work[thread_of(s.at)] += s.computed_s;
  using port = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // graph, operation, port
  auto const port_of = [&](recorded_run::object const& o) {
    recorded_run::purpose const& what = run_.purposes[o.by.purpose];
    return port(what.graph, what.operation, o.port);
  };
  struct crossed {
    double bytes = 0, objects = 0;
  };
  std::map<port, crossed> sums;
  auto const each_for_an_operation = [&](auto const& function) {
    for (std::uint32_t i = 0; i < run_.objects.size(); ++i) {
      recorded_run::object const& o = run_.objects[i];
      if (!o.was_posted()) continue;
      if (auto const* const to = run_.receiver(o)) function(o, to->collection, bytes_of(i));
    }
  };
  each_for_an_operation([&](recorded_run::object const& o, std::uint32_t, std::optional<double> bytes) {
    if (!bytes) return;
    crossed& sum = sums[port_of(o)];
    sum.bytes += *bytes;
    ++sum.objects;
  });
  each_for_an_operation([&](recorded_run::object const& o, std::uint32_t collection, std::optional<double> bytes) {
    std::size_t const from = thread_of(o.by), to = number(collection, o.to_thread);
    auto const sum = sums.find(port_of(o));
    if (from == to || sum == sums.end()) return;
    made.bytes.add(from, to, bytes.value_or(sum->second.bytes / sum->second.objects));
  });
  return made;
}

std::optional<double> exchanged::bytes_of(std::uint32_t object) const {
  std::optional<double> sum;
  for (recorded_run::message const& m : run_.messages_of(object))
    if (recorded_run::is_known(m.sent_s)) sum = sum.value_or(0) + static_cast<double>(m.bytes);
  return sum;
}

std::size_t exchanged::number(std::uint32_t collection, std::uint32_t index) const {
  std::size_t first = 0;
  for (std::uint32_t c = 0; c < collection; ++c) first += nodes_[c].size();
  return first + index % nodes_[collection].size();
}

}  // namespace ovlp::lab::study
