// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

#include <ovlp/runtime/engine.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp::real {

/// Runs graphs for real: on as many processes as the run has nodes, joined by TCP.
///
/// The process that the user starts is node 0. It launches the others when a collection is first mapped to them, and
/// they end when the last thread has left them, when the engine is destroyed, or when this process ends, however.
class engine final : public engine_base {
 public:
  /// Reads the command line: `--nodes N` and what `--help` shows. The program ends on --help and on wrong options.
  engine(int argc, char** argv);
  /// The same with options of the application's own.
  engine(int argc, char** argv, options& application);
  ~engine() override;

  std::size_t nodes() const override;
  bool computes() const override { return true; }
  using engine_base::estimate;
  void estimate(std::string /*kernel*/, kernel_estimate /*seconds*/) override {}
  void execute(std::string /*kernel*/, execution_mode /*mode*/) override {}
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

}  // namespace ovlp::real
