// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <ovlp/records/run_recorder.hpp>
#include <ovlp/records/run_totals.hpp>

namespace ovlp {

/// See make_run_recorder().
class run_recorder final : public record_sink {
 public:
  run_recorder(std::string const& file, run_facts about, emitters who, std::function<void(std::string const&)> failed);
  ~run_recorder() override;

  void begin(run_definitions const& names) override;
  void step(step_record const& r) override;
  void kernel(kernel_record const& r) override;
  void wait(wait_record const& r) override;
  void post(post_record const& r) override;
  void send(send_record const& r) override;
  void delivery(delivery_record const& r) override;
  void transfer(transfer_record const& r) override;
  void mpi_call(mpi_call_record const& r) override;
  void node(node_record const& r) override;
  void mapping(mapping_record const& r) override;
  void decision(decision_record const& r) override;
  void call(call_record const& r) override;
  void end(end_record const& r) override;
  void flush() override;
  /// Of a run that keeps totals only: those of another process. After begin().
  void add(run_totals const& more);

 private:
  struct implementation;
  template <class Record>
  void keep(Record const& r);
  std::unique_ptr<implementation> const implementation_;
};

}  // namespace ovlp
