// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/partition.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace ovlp::shared_memory {
namespace {

constexpr std::size_t candidates = 8;  // of each pair of nodes, for a swap

/// While threads are moved: what each exchanges with each node, and what work nodes have.
class shares {
 public:
  shares(partition_problem const& problem, partition start, double work_limit)
      : problem_(problem), of_(std::move(start)), to_node_(of_.size() * problem.nodes), work_(problem.nodes) {
    for (std::size_t t = 0; t < of_.size(); ++t) {
      work_[of_[t]] += problem.work[t];
      for (std::size_t other = 0; other < of_.size(); ++other)
        if (other != t) to_node_[t * problem.nodes + of_[other]] += problem.bytes(t, other);
    }
    for (double const at_first : work_) limits_.push_back(std::max(work_limit, at_first));
  }

  /// Makes the change that saves most; false if none saves anything.
  bool step() {
    change best{};
    for (std::size_t t = 0; t < of_.size(); ++t)
      for (std::size_t n = 0; n < problem_.nodes; ++n) consider(best, {t, n, std::nullopt, saved_by_move(t, n)});
    for (std::size_t a = 0; a < problem_.nodes; ++a)
      for (std::size_t b = a + 1; b < problem_.nodes; ++b) consider_swaps(best, a, b);
    if (!(best.saved > 0)) return false;
    std::size_t const from = of_[best.thread];
    move(best.thread, best.to);
    if (best.other) move(*best.other, from);
    return true;
  }
  partition const& now() const { return of_; }

 private:
  struct change {
    std::size_t thread = 0, to = 0;
    std::optional<std::size_t> other;  ///< that goes where `thread` was
    double saved = 0;
  };

  double saved_by_move(std::size_t t, std::size_t n) const {
    return to_node_[t * problem_.nodes + n] - to_node_[t * problem_.nodes + of_[t]];
  }
  bool fits(std::size_t node, double more) const { return work_[node] + more <= limits_[node] * (1 + 1e-12); }
  void consider(change& best, change const& one) const {
    if (!(one.saved > best.saved * (1 + 1e-12)) || one.to == of_[one.thread]) return;
    double const more = problem_.work[one.thread] - (one.other ? problem_.work[*one.other] : 0);
    if (fits(one.to, more) && (!one.other || fits(of_[one.thread], -more))) best = one;
  }
  /// Threads of a node that save most, or cost least, if they go to another one.
  std::vector<std::size_t> most_willing(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < of_.size(); ++t)
      if (of_[t] == from) all.push_back(t);
    auto const middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(candidates, all.size()));
    std::partial_sort(all.begin(), middle, all.end(), [&](std::size_t a, std::size_t b) {
      double const x = saved_by_move(a, to), y = saved_by_move(b, to);
      return x > y || (x == y && a < b);
    });
    all.erase(middle, all.end());
    return all;
  }
  void consider_swaps(change& best, std::size_t a, std::size_t b) const {
    std::vector<std::size_t> const others = most_willing(b, a);
    for (std::size_t const x : most_willing(a, b))
      for (std::size_t const y : others)
        consider(best, {x, b, y, saved_by_move(x, b) + saved_by_move(y, a) - 2 * problem_.bytes(x, y)});
  }
  void move(std::size_t t, std::size_t to) {
    std::size_t const from = of_[t];
    for (std::size_t other = 0; other < of_.size(); ++other) {
      if (other == t) continue;
      to_node_[other * problem_.nodes + from] -= problem_.bytes(other, t);
      to_node_[other * problem_.nodes + to] += problem_.bytes(other, t);
    }
    work_[from] -= problem_.work[t];
    work_[to] += problem_.work[t];
    of_[t] = to;
  }

  partition_problem const& problem_;
  partition of_;
  std::vector<double> to_node_;  ///< by thread and node
  std::vector<double> work_, limits_;
};

}  // namespace

double bytes_between_nodes(partition_problem const& problem, partition const& of) {
  double bytes = 0;
  for (std::size_t a = 0; a < of.size(); ++a)
    for (std::size_t b = a + 1; b < of.size(); ++b)
      if (of[a] != of[b]) bytes += problem.bytes(a, b);
  return bytes;
}

double most_work(partition_problem const& problem, partition const& of) {
  std::vector<double> work(problem.nodes);
  for (std::size_t t = 0; t < of.size(); ++t) work[of[t]] += problem.work[t];
  return *std::ranges::max_element(work);
}

partition improved(partition_problem const& problem, partition start, double work_limit) {
  shares all(problem, std::move(start), work_limit);
  while (all.step()) {
  }
  return all.now();
}

partition grown(partition_problem const& problem, double work_limit) {
  std::size_t const threads = problem.work.size();
  partition of(threads);
  std::vector<double> to_placed(threads), work(problem.nodes);
  std::vector<std::vector<double>> to_node(threads, std::vector<double>(problem.nodes));
  std::vector<bool> placed(threads);
  for (std::size_t count = 0; count < threads; ++count) {
    std::size_t next = threads;
    for (std::size_t t = 0; t < threads; ++t)
      if (!placed[t] && (next == threads || to_placed[t] > to_placed[next])) next = t;
    std::size_t node = static_cast<std::size_t>(std::ranges::min_element(work) - work.begin());
    double most = 0;
    for (std::size_t n = 0; n < problem.nodes; ++n) {
      if (to_node[next][n] <= most || work[n] + problem.work[next] > work_limit) continue;
      most = to_node[next][n];
      node = n;
    }
    of[next] = node;
    placed[next] = true;
    work[node] += problem.work[next];
    for (std::size_t t = 0; t < threads; ++t) {
      to_placed[t] += problem.bytes(t, next);
      to_node[t][node] += problem.bytes(t, next);
    }
  }
  return of;
}

}  // namespace ovlp::shared_memory
