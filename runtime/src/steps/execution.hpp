// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <ovlp/flowgraph/context.hpp>
#include <ovlp/flowgraph/graph_definition.hpp>
#include <ovlp/flowgraph/memory.hpp>
#include <ovlp/records/sink.hpp>
#include <ovlp/runtime/internal/activity.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/program.hpp>

#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

class dps_thread;
class execution_thread;
class loop_fiber;
class thread_manager;
enum class step_end : std::uint8_t;

/// What a merge or stream collects: the groups of its ports in one enclosing group.
class gathering {
 public:
  gathering(std::size_t expected, frames in) : enclosing_(in.begin(), in.end()), expected_(expected) {}

  /// That group's frames.
  frames enclosing() const { return {enclosing_.data(), enclosing_.size()}; }

  /// Counts an object and keeps it. Returns whether its group is new here.
  bool add(envelope_ptr object);
  void set_total(frame const& opened, std::uint64_t total);
  bool has_object() const { return !inbox_.empty(); }
  envelope_ptr take() { return as_object(inbox_.pop()); }
  /// Whether all objects of all groups have been added.
  bool complete() const;
  /// The iteration of the object that opened the groups: the least of several.
  std::int32_t opened_in() const;
  /// One of the groups is empty; its opener ended in this iteration.
  void add_empty(std::int32_t iteration) { empty_in_ = std::min(empty_in_.value_or(iteration), iteration); }
  /// The iteration of what comes before the first object.
  std::int32_t begins_in() const { return inbox_.empty() ? empty_in_.value_or(opened_in()) : opened_in(); }
  /// Objects missing, if that is known.
  std::string describe_missing(program const& known, std::uint32_t graph) const;

 private:
  struct group_state {
    frame opened;
    std::uint64_t received = 0;
    std::optional<std::uint64_t> total;
  };
  group_state& find_or_add(frame const& opened);

  boost::container::small_vector<frame, 2, detail::block_allocator<frame>> const enclosing_;
  std::size_t const expected_;
  mail_queue inbox_;
  std::optional<std::int32_t> empty_in_;
  boost::container::small_vector<group_state, 2> groups_;
};

/// One execution of an operation, from its first object to its end.
/// Thread: whoever runs its DPS thread.
class execution final : public operation_context {
 public:
  /// A leaf or split: nothing until it begins.
  explicit execution(thread_manager& manager);
  /// A merge or stream inside the given groups.
  execution(dps_thread& thread, std::uint32_t graph, std::uint32_t operation, ovlp::frames enclosing);

  /// A leaf or split is started by an object. It is new, or has ended and is what it was when it was new.
  void begin(dps_thread& thread, envelope_ptr input);
  /// To begin anew.
  void clear();

  /// As records say it.
  operation_place where() const;

  /// Where all of them live until dps_thread::forget().
  // NOLINTNEXTLINE(misc-new-delete-overloads): the one that is told the size
  static void* operator new(std::size_t bytes) { return detail::take_block(bytes); }
  static void operator delete(void* taken, std::size_t bytes) noexcept { detail::give_block(taken, bytes); }

  /// Runs the operation's body to its end on this execution thread, which then ends it, or has the DPS thread forget
  /// it: failures go to the thread manager.
  void run(execution_thread& host);
  /// The last step's time has passed: what it has produced goes on.
  void end();
  bool has_result() const { return result_ != nullptr; }

  void* input() override { return object_->object(); }
  bool input_is_kept() const override { return definition_->keeps_input; }
  void keep_input(std::shared_ptr<void const> copy) override;
  std::shared_ptr<void const> opened() override;
  void post(std::size_t port, object_type const& type, void* object) override;
  void finish(object_type const& type, void* object) override;
  void* wait() override;
  std::size_t place() const override { return object_ ? object_->innermost().place : 0; }
  std::size_t closed_port() const override;
  void wait_until(function_ref<bool()> condition) override;
  void kernel(std::string_view name, kernel_sizes const& sizes, function_ref<void()> body, bool always_runs) override;
  void shares(std::string_view memory) override;
  void set_iteration(std::int32_t iteration) override;
  std::uint64_t begin_call(graph_definition const& graph, object_type const& type, void* object) override;
  void finish_call(std::uint64_t call, object_type const& type, void* result_storage) override;
  void resize(collection_definition const& collection, std::size_t count) override;
  void remap(collection_definition const& collection, mapping const& to) override;
  std::optional<held_nodes> end_of_iteration(std::int32_t iteration) override;
  void end_of_changes() override;
  void* state() override;
  std::size_t index() const override;
  std::size_t size() const override;
  std::size_t node() const override;
  double now_s() const override;

  // For the DPS thread and the execution thread.
  ovlp::gathering* gathering() const { return gathering_.get(); }
  /// It is about to go on, in this execution thread.
  void resumed_by(execution_thread& host) { host_ = &host; }
  /// Asks its DPS thread to go on with it. Thread: any.
  void wake();
  /// It, or a condition of its own, has thrown: the run ends.
  void failed(std::exception_ptr what) const;
  /// A step of it begins on the OS thread of this activity.
  void show(activity& on) const;
  dps_thread& thread() const { return *thread_; }
  execution_thread& host() const { return *host_; }    ///< in which it runs, or has ended
  std::uint32_t number() const { return operation_; }  ///< of the operation in its graph
  ovlp::frames frames() const { return frames_; }
  group_id call() const { return origin_of(frames_); }            ///< of the main program
  std::optional<wait_cause> waiting() const { return waiting_; }  ///< none: it does not wait
  bool resuming = false;                                          ///< a resume is on its way
  operation_mail resume;
  operation_mail start;
  loop_fiber* suspended_on = nullptr;  ///< while it is suspended
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> of_thread;
  function_ref<bool()> const* condition = nullptr;

  /// "merge 'finish' in workers[3] on node1": for messages.
  std::string describe() const;
  /// What it waits for, for the stall report.
  std::string describe_wait() const;
  std::string describe_group() const;  ///< that the object which started it belongs to

 private:
  void set_operation(dps_thread& thread, std::uint32_t graph, std::uint32_t operation);
  struct opened_group {
    group_id group = 0;
    handled_total* side = nullptr;
    std::uint32_t count = 0;
  };
  void expect_running() const;
  [[noreturn]] void refuse_other_thread() const;
  void begin_step();
  void end_step(step_end how);
  void record_step();
  void step_ended();
  void send(std::size_t port, edge_definition const& edge, envelope_ptr object);
  /// What numbers of groups that it opens, and of calls that it makes, end with; 0: nobody asks.
  std::uint64_t name_for_numbers(std::size_t port) const;
  /// Suspends until there() holds.
  template <class There>
  void wait_for(There const& there, wait_cause what);
  void suspend(wait_cause what);
  void wait_for_change(std::uint64_t change, std::optional<held_nodes>* hold = nullptr);
  template <class Function>
  bool succeeds(Function const& function) const;
  void take_place_in_window(group_id group);
  void send_held_posts();
  void send_result();
  void close_groups();
  void await_what_it_started();
  envelope_ptr await_call(group_id call);
  void end_path();
  frame opened_frame(group_id group, std::size_t port, std::uint32_t place) const;
  envelope_ptr addressed(envelope_ptr made, std::size_t target) const;

  thread_manager& manager_;
  dps_thread* thread_ = nullptr;
  execution_thread* host_ = nullptr;
  std::uint32_t graph_ = 0;
  std::uint32_t operation_ = 0;
  operation_definition const* definition_ = nullptr;
  envelope_ptr object_;  ///< that started a leaf or split; handed out last by a merge or stream
  std::unique_ptr<ovlp::gathering> gathering_;
  ovlp::frames frames_;  ///< of the groups that it stands in: its object's, or what it gathers in
  boost::container::small_vector<opened_group, 2> opened_;  ///< one per port, if it posts
  std::vector<group_id> open_calls_;                        ///< that it has made, without their results
  std::int32_t iteration_ = no_iteration;
  bool iteration_set_ = false;
  bool has_worked_ = false;     ///< a kernel ran in this step
  bool has_new_input_ = false;  ///< not yet recorded with a step
  envelope_ptr result_;         ///< of a leaf or merge whose body has returned
  bool saw_end_ = false;
  struct held_post {
    std::size_t port;
    envelope_ptr object;
  };
  std::unique_ptr<std::vector<held_post>> held_posts_;  ///< of a stream, if the run has barriers
  std::optional<wait_cause> waiting_;
  group_id waiting_group_ = 0;
  double step_start_s_ = 0;
  double step_start_computed_s_ = 0;
};

}  // namespace ovlp::OVLP_INLINE_CORE
