// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// Writes each record as a line of text, for people and for tests; it is what --trace attaches.
///
///     0.500000000 node1 workers[0] step leaf 'work' iteration 1 from 0.500000000 to 1.500000000 computed ...
///
/// Format: docs/formats/trace.md. Times in seconds with nine digits, so that traces of equal simulations are equal
/// texts.
/// Thread: any, several at once; a line is written whole.
/// Cost: formats and writes each record in the thread that emits it, so that a process that dies leaves whole lines; in
/// a real run that is part of what is measured.
class text_trace final : public record_sink {
 public:
  /// How its files begin.
  static constexpr char const* begins = "# ovlp trace";

  /// Makes the file, or empties one of a trace unless it is to `append`. "-": standard output. `failed` is called with
  /// one line at the run's end if not all of it could be written, such as to a full disk. Errors: io_error if the file
  /// cannot be made; config_error if it is another one.
  text_trace(std::string const& file, std::function<void(std::string const&)> failed, bool append = false);
  ~text_trace() override;

  /// Names are looked up in `of` for each line, so it must live as long as records come.
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
  void decision(decision_record const& r) override;
  void call(call_record const& r) override;
  void end(end_record const& r) override;
  void flush() override;

 private:
  std::string thread_name(operation_place const& at) const;
  std::string operation_name(std::uint32_t graph, std::uint32_t operation) const;
  void line(double at_s, std::string const& where, char const* what, std::string const& rest);

  std::mutex mutex_;
  std::string name_;
  std::FILE* file_;
  std::function<void(std::string const&)> const failed_;
  int error_ = 0;  ///< of the first line that could not be written
  run_definitions const* names_ = nullptr;
};

}  // namespace ovlp
