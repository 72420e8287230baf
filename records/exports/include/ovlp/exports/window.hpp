// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// Hands on, to a sink that outlives it, what touches a window of time: steps, kernels, waits, messages, whole. So that
/// what arrives in the window is known, posts and sends stay from before it, and deliveries from behind it; changes of
/// nodes and collections, and calls, stay all. Times on the run's clock.
class window final : public sinks {
 public:
  window(record_sink& to, double from_s, double until_s) : from_s_(from_s), until_s_(until_s) { add(to); }

  void step(step_record const& r) override {
    if (touches(r.start_s, r.end_s)) sinks::step(r);
  }
  void kernel(kernel_record const& r) override {
    if (touches(r.start_s, r.end_s)) sinks::kernel(r);
  }
  void wait(wait_record const& r) override {
    if (touches(r.start_s, r.end_s)) sinks::wait(r);
  }
  void post(post_record const& r) override {
    if (r.at_s <= until_s_) sinks::post(r);
  }
  void send(send_record const& r) override {
    if (r.at_s <= until_s_) sinks::send(r);
  }
  void delivery(delivery_record const& r) override {
    if (r.at_s >= from_s_) sinks::delivery(r);
  }
  void transfer(transfer_record const& r) override {
    if (touches(r.sent_s, r.crossed_s)) sinks::transfer(r);
  }
  void mpi_call(mpi_call_record const& r) override {
    if (touches(r.begun.at_s, r.ended.at_s)) sinks::mpi_call(r);
  }

 private:
  bool touches(double begin_s, double end_s) const { return end_s >= from_s_ && begin_s <= until_s_; }

  double const from_s_, until_s_;
};

}  // namespace ovlp
