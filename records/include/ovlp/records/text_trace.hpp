// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// Writes each record as a line of text, for people and for tests. Format: docs/formats/trace.md.
/// Thread: any, several at once.
class text_trace final : public record_sink {
 public:
  /// "-": to standard output. Errors: io_error.
  explicit text_trace(std::string const& file);
  ~text_trace() override;

  void begin(run_definitions const& of) override;
  void step(step_record const& r) override;
  void kernel(kernel_record const& r) override;
  void wait(wait_record const& r) override;
  void post(post_record const& r) override;
  void send(send_record const& r) override;
  void delivery(delivery_record const& r) override;
  void transfer(transfer_record const& r) override;
  void node(node_record const& r) override;
  void mapping(mapping_record const& r) override;
  void call(call_record const& r) override;
  void flush() override;

 private:
  std::string thread_name(operation_place const& at) const;
  std::string operation_name(std::uint32_t graph, std::uint32_t operation) const;
  void line(double at_s, std::string const& where, char const* what, std::string const& rest);

  std::mutex mutex_;
  std::string name_;
  std::FILE* file_;
  run_definitions const* names_ = nullptr;
};

}  // namespace ovlp
