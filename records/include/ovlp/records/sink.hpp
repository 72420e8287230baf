// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/records/record.hpp>

namespace ovlp {

/// Takes what a run emits, each kind of record by a function of its own; a sink overrides those that it wants.
/// Attached to a run by the program (engine_base::attach) or by options such as --trace. Without a sink nothing is
/// emitted.
///
///     class kernel_counter final : public ovlp::record_sink {
///      public:
///       void kernel(ovlp::kernel_record const&) override { ++kernels; }
///       std::atomic<int> kernels = 0;
///     };
///     auto const counter = std::make_shared<kernel_counter>();
///     run.attach(counter);  // before the first call
///
/// In a simulation records come from one thread, each when its end is reached, but kernels when their step's is; in the
/// same order in every run, if durations are charged and not measured (--execution partial). In a
/// real run each process has its own sinks, which take what happens there; of one DPS thread in order. A record, and
/// what it refers to (names, lists), is valid during the call only.
/// Blocks: what is emitted waits for the sink, and in a real run takes that long; so a sink is quick.
/// Thread: in a real run any, several at once.
/// Errors: a sink does not throw: it is called in the middle of the runtime.
class record_sink {
 public:
  record_sink() = default;
  record_sink(record_sink const&) = delete;
  record_sink& operator=(record_sink const&) = delete;
  virtual ~record_sink() = default;

  /// Before all others. The definitions live as long as the run.
  virtual void begin(run_definitions const&) {}
  /// After the kernels that are part of it.
  virtual void step(step_record const&) {}
  virtual void kernel(kernel_record const&) {}
  /// When the operation goes on; of one that is still suspended when a run fails nothing comes.
  virtual void wait(wait_record const&) {}
  virtual void post(post_record const&) {}
  /// On the node that sends.
  virtual void send(send_record const&) {}
  /// On the node that receives.
  virtual void delivery(delivery_record const&) {}
  /// In a simulation only.
  virtual void transfer(transfer_record const&) {}
  /// In a replay of an MPI program only.
  virtual void mpi_call(mpi_call_record const&) {}
  /// On node 0.
  virtual void node(node_record const&) {}
  /// On node 0.
  virtual void mapping(mapping_record const&) {}
  /// On node 0.
  virtual void decision(decision_record const&) {}
  /// On node 0.
  virtual void call(call_record const&) {}
  /// On node 0, once, after all others of it. Of a run that is killed nothing comes.
  virtual void end(end_record const&) {}
  /// No more records come, since the run has ended, or failed; or the process may end without warning. Perhaps more
  /// than once. What a sink writes to a file is there when this returns.
  virtual void flush() {}
};

/// Hands on to several sinks, in the order in which they were added. Sinks are added before the first record.
/// Cost: of a kind of record that comes often, a call of each sink that overrides it; where that is not known, of all.
/// Thread: as each of them allows.
class sinks : public record_sink {
 public:
  /// Another sink, which belongs to the caller and lives as long as this is used.
  template <class Sink>
  void add(Sink& sink) {
    all_.push_back(&sink);
    if constexpr (may_take<Sink>(&Sink::step)) steps_.push_back(&sink);
    if constexpr (may_take<Sink>(&Sink::kernel)) kernels_.push_back(&sink);
    if constexpr (may_take<Sink>(&Sink::send)) sends_.push_back(&sink);
    if constexpr (may_take<Sink>(&Sink::delivery)) deliveries_.push_back(&sink);
  }
  /// Another sink, which this keeps alive.
  void own(std::shared_ptr<record_sink> sink) {
    add(*sink);
    owned_.push_back(std::move(sink));
  }
  bool empty() const { return all_.empty(); }
  /// Forgets all, for records of another run.
  void clear() {
    for (list* of : {&all_, &steps_, &kernels_, &sends_, &deliveries_}) of->clear();
    owned_.clear();
  }

  void begin(run_definitions const& of) override { tell(all_, &record_sink::begin, of); }
  void step(step_record const& r) override { tell(steps_, &record_sink::step, r); }
  void kernel(kernel_record const& r) override { tell(kernels_, &record_sink::kernel, r); }
  void wait(wait_record const& r) override { tell(all_, &record_sink::wait, r); }
  void post(post_record const& r) override { tell(all_, &record_sink::post, r); }
  void send(send_record const& r) override { tell(sends_, &record_sink::send, r); }
  void delivery(delivery_record const& r) override { tell(deliveries_, &record_sink::delivery, r); }
  void transfer(transfer_record const& r) override { tell(all_, &record_sink::transfer, r); }
  void mpi_call(mpi_call_record const& r) override { tell(all_, &record_sink::mpi_call, r); }
  void node(node_record const& r) override { tell(all_, &record_sink::node, r); }
  void mapping(mapping_record const& r) override { tell(all_, &record_sink::mapping, r); }
  void decision(decision_record const& r) override { tell(all_, &record_sink::decision, r); }
  void call(call_record const& r) override { tell(all_, &record_sink::call, r); }
  void end(end_record const& r) override { tell(all_, &record_sink::end, r); }
  void flush() override {
    for (record_sink* sink : all_) sink->flush();
  }

 private:
  using list = std::vector<record_sink*>;
  /// Whether a sink of this class overrides the function; also if that cannot be known.
  template <class Sink, class Owner, class Record>
  static constexpr bool may_take(void (Owner::*)(Record const&)) {
    return !std::is_final_v<Sink> || !std::is_same_v<Owner, record_sink>;
  }
  template <class Record>
  static void tell(list const& all, void (record_sink::*take)(Record const&), Record const& what) {
    for (record_sink* sink : all) (sink->*take)(what);
  }

  list all_, steps_, kernels_, sends_, deliveries_;
  std::vector<std::shared_ptr<record_sink>> owned_;
};

}  // namespace ovlp
