// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <ovlp/flowgraph/graph.hpp>
#include <ovlp/runtime/internal/program.hpp>

#include "search/outcome.hpp"
#include "search/strategy.hpp"
#include "world/explored_backend.hpp"
#include "world/kept_object.hpp"

namespace ovlp::explore {

/// One call of a graph, run again and again in this process, each time on nodes of its own with states made anew. What
/// a program keeps elsewhere is not made anew.
///
///     call_run words(graph, text, {.node = {.nodes = 3}});
///     random_order random(seed);
///     outcome const ended = words.run(random);
///
/// Results are compared with that of the first run. Thread: one.
class call_run {
 public:
  template <class In, class Out>
  call_run(graph<In, Out> const& called, In input, explored_backend::settings how)
      : call_run(called.definition(), type_of<In>(), type_of<Out>(), &input, std::move(how)) {}

  outcome run(strategy& chooses);
  ovlp::program const& program() const { return program_; }

 private:
  call_run(std::shared_ptr<graph_definition> const& called, object_type const& in, object_type const& out, void* input,
           explored_backend::settings how);

  ovlp::program program_;
  std::shared_ptr<graph_definition> called_;
  object_type const* in_;
  object_type const* out_;
  kept_object input_;
  std::optional<kept_object> expected_;
  explored_backend::settings settings_;
};

}  // namespace ovlp::explore
