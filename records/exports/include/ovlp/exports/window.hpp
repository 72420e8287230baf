// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// Hands on, to a sink that outlives it, what touches a window of time: steps, kernels, waits, messages, whole. So that
/// what arrives in the window is known, posts and sends stay from before it, and deliveries from behind it; changes of
/// nodes and collections, and calls, stay all. Times on the run's clock.
class window final : public record_sink {
 public:
  window(record_sink& to, double from_s, double until_s) : to_(to), from_s_(from_s), until_s_(until_s) {}

  void begin(run_definitions const& of) override { to_.begin(of); }
  void step(step_record const& r) override {
    if (touches(r.start_s, r.end_s)) to_.step(r);
  }
  void kernel(kernel_record const& r) override {
    if (touches(r.start_s, r.end_s)) to_.kernel(r);
  }
  void wait(wait_record const& r) override {
    if (touches(r.start_s, r.end_s)) to_.wait(r);
  }
  void post(post_record const& r) override {
    if (r.at_s <= until_s_) to_.post(r);
  }
  void send(send_record const& r) override {
    if (r.at_s <= until_s_) to_.send(r);
  }
  void delivery(delivery_record const& r) override {
    if (r.at_s >= from_s_) to_.delivery(r);
  }
  void transfer(transfer_record const& r) override {
    if (touches(r.sent_s, r.crossed_s)) to_.transfer(r);
  }
  void mpi_call(mpi_call_record const& r) override {
    if (touches(r.begun.at_s, r.ended.at_s)) to_.mpi_call(r);
  }
  void node(node_record const& r) override { to_.node(r); }
  void mapping(mapping_record const& r) override { to_.mapping(r); }
  void decision(decision_record const& r) override { to_.decision(r); }
  void call(call_record const& r) override { to_.call(r); }
  void end(end_record const& r) override { to_.end(r); }
  void flush() override { to_.flush(); }

 private:
  bool touches(double begin_s, double end_s) const { return end_s >= from_s_ && begin_s <= until_s_; }

  record_sink& to_;
  double const from_s_, until_s_;
};

}  // namespace ovlp
