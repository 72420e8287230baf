// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/communication.hpp>

#include <algorithm>
#include <numeric>

#include <ovlp/base/error.hpp>

namespace ovlp::shared_memory {
namespace {

void add(std::vector<double>& to, std::vector<double> const& what) {
  to.resize(std::max(to.size(), what.size()));
  for (std::size_t i = 0; i < what.size(); ++i) to[i] += what[i];
}

}  // namespace

void communication_matrix::add(std::size_t a, std::size_t b, double events) {
  cells_[a * threads_ + b] += events;
  if (a != b) cells_[b * threads_ + a] += events;
}

void communication_matrix::add(communication_matrix const& other) {
  if (threads_ < other.threads_) {
    communication_matrix larger(other.threads_);
    larger.add(*this);
    *this = std::move(larger);
  }
  for (std::size_t a = 0; a < other.threads_; ++a)
    for (std::size_t b = 0; b < other.threads_; ++b) cells_[a * threads_ + b] += other(a, b);
}

double communication_matrix::most() const { return cells_.empty() ? 0 : *std::ranges::max_element(cells_); }

double communication_matrix::sum() const { return std::accumulate(cells_.begin(), cells_.end(), 0.0) / 2; }

communication_matrix communication_matrix::normalized() const {
  communication_matrix made = *this;
  double const all = most();
  if (all > 0) std::ranges::for_each(made.cells_, [&](double& cell) { cell *= 100 / all; });
  return made;
}

double mean_squared_error(communication_matrix const& a, communication_matrix const& b) {
  if (a.threads() != b.threads())
    throw config_error("expected matrices of equally many threads, got " + std::to_string(a.threads()) + " and " +
                       std::to_string(b.threads()));
  communication_matrix const x = a.normalized(), y = b.normalized();
  double sum = 0;
  for (std::size_t i = 0; i < x.threads(); ++i)
    for (std::size_t j = 0; j < x.threads(); ++j) sum += (x(i, j) - y(i, j)) * (x(i, j) - y(i, j));
  return sum / static_cast<double>(x.threads() * x.threads());
}

communication_matrix communication_phase::relevant() const {
  communication_matrix sum;
  for (std::size_t k = 0; k < of_kind.size(); ++k)
    if (k != static_cast<std::size_t>(kind::temporal_false)) sum.add(of_kind[k]);
  return sum;
}

communication_phase communication::whole() const {
  communication_phase all{"", phases.front().begin_s, phases.back().end_s, {}, {}, {}, {}};
  for (communication_phase const& one : phases) {
    all.of_kind.resize(std::max(all.of_kind.size(), one.of_kind.size()));
    for (std::size_t k = 0; k < one.of_kind.size(); ++k) all.of_kind[k].add(one.of_kind[k]);
    add(all.accesses, one.accesses);
    add(all.private_accesses, one.private_accesses);
    for (std::size_t s = 0; s < line_sources; ++s) all.found[s] += one.found[s];
  }
  return all;
}

}  // namespace ovlp::shared_memory
