// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <ovlp/runtime/engine.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp::sim {

/// Predicts how graphs run on the nodes of a platform: all nodes in this process, time and network simulated.
///
/// The same calls as of real::engine, and the same command line; `--platform`, `--execution` and the other options of
/// the simulation are shown by `--help`. Simulations are independent: several may live in one process.
class engine final : public engine_base {
 public:
  /// Reads the command line. The program ends on --help and on wrong options. Errors: config_error for wrong files.
  engine(int argc, char** argv);
  /// The same with options of the application's own.
  engine(int argc, char** argv, options& application);
  ~engine() override;

  std::size_t nodes() const override;
  bool computes() const override;
  using engine_base::estimate;
  void estimate(std::string kernel, kernel_estimate seconds) override;
  void execute(std::string kernel, execution_mode mode) override;
  ovlp::summary summary() override;
  void record() override;
  void attach(std::shared_ptr<record_sink> sink) override;
  void write(ovlp::summary const& figures) const override;

 private:
  void add_graph(std::shared_ptr<graph_definition> const& graph) override;
  std::uint64_t begin_call(std::shared_ptr<graph_definition> const& graph, object_type const& type,
                           void* object) override;
  void finish_call(std::uint64_t call, object_type const& type, void* result_storage) override;
  void resize_collection(collection_definition const& collection, std::size_t count) override;
  void remap_collection(collection_definition const& collection, mapping const& to) override;

  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp::sim
