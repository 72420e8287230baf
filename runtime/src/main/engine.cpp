// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/engine.hpp>

#include <utility>

namespace ovlp {

engine_base::engine_base(std::unique_ptr<implementation> run) : run_(std::move(run)) {}
engine_base::~engine_base() { run_->end(); }

plan const& engine_base::plan() const { return run_->plan(); }
void engine_base::follow(ovlp::plan followed) { run_->follow(std::move(followed)); }
void engine_base::follow(std::shared_ptr<policy> decides) { run_->follow(std::move(decides)); }
held_nodes engine_base::held_at_start() const { return run_->held_at_start(); }
bool engine_base::may_change_after(int iteration) const { return run_->may_change_after(iteration); }
void engine_base::end_of_iteration(int k, std::function<void(held_nodes const&)> const& change) {
  run_->end_of_iteration(k, change);
}

std::size_t engine_base::nodes() const { return run_->nodes(); }
std::chrono::duration<double> engine_base::now() const { return std::chrono::duration<double>(run_->now_s()); }
bool engine_base::computes() const { return run_->computes(); }
void engine_base::estimate(std::string kernel, kernel_estimate seconds) {
  run_->estimate(std::move(kernel), std::move(seconds));
}
void engine_base::execute(std::string kernel, execution_mode mode) { run_->execute(std::move(kernel), mode); }
void engine_base::record() { run_->record(); }
void engine_base::attach(std::shared_ptr<record_sink> sink) { run_->attach(std::move(sink)); }
void engine_base::add_graph(std::shared_ptr<graph_definition> const& graph) { run_->add_graph(graph); }

std::uint64_t engine_base::begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                      void* object) {
  return run_->begin_call(graph, type, object);
}
void engine_base::finish_call(std::uint64_t call, object_type const& type, void* result_storage) {
  run_->finish_call(call, type, result_storage);
}
void engine_base::check(std::string name, std::function<bool()> holds, checked when) {
  run_->check(std::move(name), std::move(holds), when);
}
void engine_base::compare_results(graph_definition const& graph, std::function<bool(void const*, void const*)> same) {
  run_->compare(graph, std::move(same));
}
void engine_base::resize_collection(collection_definition const& collection, std::size_t count) {
  run_->resize(collection, count);
}
void engine_base::remap_collection(collection_definition const& collection, mapping const& to) {
  run_->remap(collection, to);
}

ovlp::summary engine_base::summary() { return run_->summary(); }
void engine_base::write(ovlp::summary const& figures) const { run_->write(figures); }

}  // namespace ovlp
