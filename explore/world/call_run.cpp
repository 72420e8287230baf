// SPDX-License-Identifier: BSD-3-Clause
#include "world/call_run.hpp"

#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>

namespace ovlp::explore {

call_run::call_run(std::shared_ptr<graph_definition> const& called, object_type const& in, object_type const& out,
                   void* input, explored_backend::settings how)
    : called_(called), in_(&in), out_(&out), input_(keep(in, input)), settings_(std::move(how)) {
  program_.add(called);
  program_.close();
}

outcome call_run::run(strategy& chooses) {
  outcome ended;
  explored_backend world(program_, settings_, chooses);
  world.start_nodes(program_.nodes_at_first(settings_.node.nodes));
  ovlp::calls& calls = world.driver().calls();
  std::uint64_t call = 0;
  with_object(*in_, input_, [&](void* input) { call = calls.begin(*called_, *in_, input, 0, no_iteration); });
  bool const here = world.run_until([&] { return calls.result_there(call); });
  if (world.failed()) {
    ended.failure = in_a_line(*world.failed());
  } else if (!here) {
    world.explain(ended);
  } else {
    kept_object got = keep(*out_, calls.take_result(call)->object());
    ended.results.push_back(got.hash());
    if (!expected_) expected_ = std::move(got);
    else if (std::string wrong = difference(*out_, *expected_, got, 0, {}); !wrong.empty())
      ended.failure = "the result " + wrong;
    if (ended.failure.empty()) ended.results.back() = expected_->hash();
    world.let_end(ended);
  }
  ended.choices = world.choices();
  return ended;
}

}  // namespace ovlp::explore
