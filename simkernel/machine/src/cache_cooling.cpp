// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include "effects.hpp"
#include "read_parameters.hpp"

namespace ovlp::machine {
namespace {

struct figures {
  double send_s;       ///< more for a message that is sent with cold caches
  double receive_s;    ///< and for one that is received so
  double pause_s;      ///< time constant of cooling while the node does nothing for messages, and others use the caches
  double computing_s;  ///< kernels that take so long leave the caches cold; shorter ones as much less
};

/// What handles messages leaves a node's caches while the node computes, or does nothing and others use them: the next
/// message costs more. After a pause of t without messages 1 - exp(-t / pause_s) of receive_s for a message that
/// comes, and of send_s for what is sent then; after kernels of t since the last message min(1, t / computing_s) of
/// send_s, if that is more.
/// Source: measured by `ovlp calibrate`; docs/model.md, "Effects".
class cache_cooling final : public effect {
 public:
  cache_cooling(figures const& p, std::size_t nodes) : p_(p), nodes_(nodes) {}

  double sending_s(occasion const& of) override {
    node& at = nodes_[of.what.from];
    double const computed_s = std::exchange(at.computed_s, 0);
    double const by_kernels = computed_s >= p_.computing_s ? (computed_s > 0 ? 1 : 0) : computed_s / p_.computing_s;
    return p_.send_s * std::max(by_kernels, std::exchange(at.cooled, 0));
  }
  double receiving_s(occasion const& of) override {
    node& at = nodes_[of.what.to];
    double const pause_s = of.now_s - std::exchange(at.handled_s, of.now_s);
    double const cooled = p_.pause_s == 0 ? 1 : -std::expm1(-pause_s / p_.pause_s);
    at.cooled = std::max(at.cooled, cooled);
    return p_.receive_s * cooled;
  }
  void handled(node_id at, double now_s) override { nodes_[at].handled_s = now_s; }
  double computing_s(node_id at, double kernel_s) override {
    nodes_[at].computed_s += kernel_s;
    return 0;
  }

 private:
  struct node {
    double handled_s = 0;   ///< when it last did something for a message
    double cooled = 0;      ///< by the longest pause since it sent one, 0 to 1
    double computed_s = 0;  ///< by kernels since it sent one
  };
  figures const p_;
  std::vector<node> nodes_;
};

}  // namespace

effect_maker read_cache_cooling(base::json_object& from) {
  figures const p{number(from, "send_s"), number(from, "receive_s"), number(from, "pause_s"),
                  number(from, "computing_s")};
  return [p](std::size_t nodes) { return std::make_unique<cache_cooling>(p, nodes); };
}

}  // namespace ovlp::machine
