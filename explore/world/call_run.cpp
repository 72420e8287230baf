// SPDX-License-Identifier: BSD-3-Clause
#include "world/call_run.hpp"

#include <cstring>
#include <span>

#include <ovlp/flowgraph/reader.hpp>
#include <ovlp/flowgraph/writer.hpp>
#include <ovlp/runtime/internal/calls.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>

#include "world/hash.hpp"

namespace ovlp::explore {

call_run::call_run(std::shared_ptr<graph_definition> const& called, object_type const& in, object_type const& out,
                   void* input, explored_backend::settings how)
    : called_(called), in_(&in), out_(&out), settings_(std::move(how)) {
  program_.add(called);
  program_.close();
  writer bytes;
  in.write(bytes, input);
  inline_bytes_ = bytes.inline_bytes();
  for (std::span<std::byte const> const piece : bytes.segments()) {
    input_.insert(input_.end(), piece.begin(), piece.end());
  }
}

outcome call_run::run(strategy& chooses) {
  outcome ended;
  explored_backend world(program_, settings_, chooses);
  world.start_nodes(program_.nodes_at_first(settings_.node.nodes));

  std::span<std::byte const> const all(input_);
  reader from(all.first(inline_bytes_), all.size() - inline_bytes_);
  alignas(16) std::byte small[256];
  std::unique_ptr<std::byte[]> large;
  void* input = small;
  if (in_->size > sizeof small) {
    large = std::make_unique<std::byte[]>(in_->size);
    input = large.get();
  }
  in_->read(from, input);
  std::size_t done = inline_bytes_;
  for (std::span<std::byte> const to : from.bulk()) {
    std::memcpy(to.data(), input_.data() + done, to.size());
    done += to.size();
  }
  ovlp::calls& calls = world.driver().calls();
  std::uint64_t const call = calls.begin(*called_, *in_, input, 0, no_iteration);
  in_->destroy(input);
  world.call_made(call);
  bool const here = world.run_until([&] { return calls.result_there(call); });
  if (world.failed()) {
    ended.failure = in_a_line(*world.failed());
  } else if (!here) {
    world.explain(ended);
  } else {
    ended.results.push_back(hash_of(*out_, calls.take_result(call)->object()));
    world.let_end(ended);
  }
  ended.choices = world.choices();
  return ended;
}

}  // namespace ovlp::explore
