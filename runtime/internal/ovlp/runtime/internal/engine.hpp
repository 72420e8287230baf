// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <ovlp/runtime/engine.hpp>

namespace ovlp {

/// What an engine asks of the run that it stands for; each means what the engine's function of this name says.
/// Thread: that of the main program.
struct engine_base::implementation {
  implementation() = default;
  implementation(implementation const&) = delete;
  implementation& operator=(implementation const&) = delete;
  virtual ~implementation() = default;

  virtual std::size_t nodes() const = 0;
  virtual double now_s() = 0;  ///< since the run's start; 0 before
  virtual bool computes() const = 0;
  virtual void estimate(std::string kernel, kernel_estimate seconds) = 0;
  virtual void execute(std::string kernel, execution_mode mode) = 0;
  virtual void record() = 0;
  virtual void attach(std::shared_ptr<record_sink> sink) = 0;
  virtual void add_graph(std::shared_ptr<graph_definition> const& graph) = 0;

  virtual std::uint64_t begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                                   void* object) = 0;
  virtual void finish_call(std::uint64_t call, object_type const& type, void* result_storage) = 0;
  virtual void resize(collection_definition const& collection, std::size_t count) = 0;
  virtual void remap(collection_definition const& collection, mapping const& to) = 0;

  virtual void check(std::string /*name*/, std::function<bool()> /*holds*/, checked /*when*/) {}
  virtual void compare(graph_definition const& /*graph*/, std::function<bool(void const*, void const*)> /*same*/) {}

  virtual ovlp::plan const& plan() const = 0;
  virtual void follow(ovlp::plan followed) = 0;
  virtual void follow(std::shared_ptr<policy> decides) = 0;
  virtual held_nodes held_at_start() const = 0;
  virtual bool may_change_after(int iteration) const = 0;
  virtual void end_of_iteration(int iteration, std::function<void(held_nodes const&)> const& change) = 0;

  virtual ovlp::summary summary() = 0;
  virtual void write(ovlp::summary const& figures) = 0;
  /// Before the destructor: ends the run.
  virtual void end() = 0;
};

}  // namespace ovlp
