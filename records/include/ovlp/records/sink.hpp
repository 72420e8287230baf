// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ovlp/records/record.hpp>

namespace ovlp {

/// Takes what a run emits, each kind of record by a function of its own; a sink overrides those that it wants. Attached
/// to a run by the program (engine_base::attach) or by options such as --trace. Without a sink nothing is emitted.
///
/// In a simulation records come in the same order in every run, each when its end is reached, from one thread.
/// In a real run each process has its own sinks, which take what happens there; of one thread in order.
/// Thread: in a real run any, several at once.
class record_sink {
 public:
  record_sink() = default;
  record_sink(record_sink const&) = delete;
  record_sink& operator=(record_sink const&) = delete;
  virtual ~record_sink() = default;

  /// Before all others. The definitions live as long as the run.
  virtual void begin(run_definitions const&) {}
  virtual void step(step_record const&) {}
  virtual void kernel(kernel_record const&) {}
  virtual void wait(wait_record const&) {}
  virtual void post(post_record const&) {}
  virtual void send(send_record const&) {}
  virtual void delivery(delivery_record const&) {}
  virtual void transfer(transfer_record const&) {}
  /// On node 0.
  virtual void node(node_record const&) {}
  /// On node 0.
  virtual void mapping(mapping_record const&) {}
  /// On node 0.
  virtual void call(call_record const&) {}
  /// No more records come, since the run has ended, or failed; or the process may end without warning.
  virtual void flush() {}
};

/// Hands on to several sinks, in the order in which they were added.
class sinks final : public record_sink {
 public:
  /// The sink lives as long as this is used.
  void add(record_sink& sink) { all_.push_back(&sink); }
  void own(std::shared_ptr<record_sink> sink) {
    add(*sink);
    owned_.push_back(std::move(sink));
  }
  bool empty() const { return all_.empty(); }

  void begin(run_definitions const& of) override { each(&record_sink::begin, of); }
  void step(step_record const& r) override { each(&record_sink::step, r); }
  void kernel(kernel_record const& r) override { each(&record_sink::kernel, r); }
  void wait(wait_record const& r) override { each(&record_sink::wait, r); }
  void post(post_record const& r) override { each(&record_sink::post, r); }
  void send(send_record const& r) override { each(&record_sink::send, r); }
  void delivery(delivery_record const& r) override { each(&record_sink::delivery, r); }
  void transfer(transfer_record const& r) override { each(&record_sink::transfer, r); }
  void node(node_record const& r) override { each(&record_sink::node, r); }
  void mapping(mapping_record const& r) override { each(&record_sink::mapping, r); }
  void call(call_record const& r) override { each(&record_sink::call, r); }
  void flush() override {
    for (record_sink* sink : all_) sink->flush();
  }

 private:
  template <class Record>
  void each(void (record_sink::*take)(Record const&), Record const& what) {
    for (record_sink* sink : all_) (sink->*take)(what);
  }

  std::vector<record_sink*> all_;
  std::vector<std::shared_ptr<record_sink>> owned_;
};

}  // namespace ovlp
