// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/execution_thread.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "search/choice.hpp"
#include "search/outcome.hpp"
#include "search/strategy.hpp"

namespace ovlp::explore {

// world/: a run without time. The runtime's own code and the program's, with all nodes in one OS thread, as in a
// simulation; but what happens next among all that may, a strategy says. So a run is the list of its choices.
//
// What may happen:
//   - a DPS thread goes on to the end of its next atomic step; those of a collection that have the right to run are as
//     many as in a real run, the first ones in the order in which they came by work;
//   - the first message of a connection arrives; between two nodes messages keep their order, as over TCP and MPI;
//   - a node that is launched has joined, or one that has left is released;
//   - the main program, which waits for something that is there now, goes on.
// Within a step nothing else happens: what real execution threads do at one time below that is not seen here.

/// The backend of an explored run. Thread: one OS thread.
class explored_backend final : public backend, private explored_world {
 public:
  struct settings {
    node_settings node{};
    std::size_t most_choices = 100'000;
    /// Told each name that comes up and what it means: "node1: workers[2] starts leaf 'count' with object 3 of split
    /// 'cut'". Empty: nobody asks.
    std::function<void(std::uint64_t, std::string const&)> text = {};
    /// Told each object that an operation posts or returns: its name, of which text is told too, and a hash.
    std::function<void(std::uint64_t, std::uint64_t)> object = {};
    std::function<void()> on_failure = {};  ///< called where it happens
    /// Called after each choice, and with true when nothing may happen any more: says what is wrong; empty: nothing.
    std::function<std::string(bool at_end)> check = {};
  };

  explored_backend(program const& known, settings how, strategy& chooses);
  ~explored_backend() override;

  /// Node 0 and all nodes that a collection is mapped to. Errors: config_error.
  void start_nodes(std::set<node_id> const& nodes);
  thread_manager& driver() { return *nodes_[0].manager; }
  /// nullptr: the run has not begun.
  thread_manager* find_driver() { return nodes_.empty() ? nullptr : nodes_.front().manager.get(); }
  /// Lets things happen until done(), and the main program's turn. Returns false if that never comes: see explain().
  /// done() is asked again only after call_ended() or fail().
  bool run_until(std::function<bool()> const& done);
  /// Says in the outcome why that never comes.
  void explain(outcome& of);
  /// When the main program waits for nothing any more: lets happen what still may, and says in the outcome if something
  /// fails then, or waits for ever.
  void let_end(outcome& of);
  std::optional<failure> const& failed() const { return failure_; }
  std::size_t choices() const { return made_; }
  /// After explain(): it lasts too long, rather than stands still.
  bool lasts() const { return cut_ == cut::too_long; }
  failure as_stall() { return stall(waiting()); }
  /// Ends all operations that have not ended.
  void unwind();

  // backend
  double now_s() override { return static_cast<double>(made_); }
  double computed_s() override { return 0; }
  void start(execution_thread& thread) override;
  void idle(execution_thread& thread) override;
  void wake(execution_thread&) override {}  // what may run is asked of the scheduler
  void end_step(step_end how) override;
  bool end_last_step(step_end how) override;
  kernel_time kernel(kernel_call const& what) override;
  bool transmit(node_id from, node_id to, envelope_ptr object) override;
  void transmit(node_id from, node_id to, control const& told) override;
  void launch(node_id node) override;
  void release(node_id node) override;
  void fail(failure const& what) override;
  void call_ended() override;

 private:
  /// Why the main program's turn never comes, beside a failure of the run.
  enum class cut : std::uint8_t { none, stalled, too_long, given_up };
  /// An execution thread.
  struct worker {
    execution_thread& thread;
    bool idle = true;
    bool over = false;
  };
  struct message {
    envelope_ptr object;  ///< or
    control told;
    double sent_s;
  };
  struct connection {
    node_id from = 0, to = 0;
    std::deque<message> messages;
  };
  struct node_part {
    std::unique_ptr<thread_manager> manager;  ///< none: the node is not held
    std::size_t launches = 0;
    bool leaves = false;      ///< it is to be released
    bool comes_back = false;  ///< and is to be launched then
    bool looked_at = true;    ///< its scheduler, since something has happened there
    std::vector<worker*> workers;
  };
  /// What may happen. One of: a DPS thread that starts something; a worker in the middle of an operation; a connection;
  /// a node that joins or is released; the main program.
  struct possibility {
    dps_thread* starts = nullptr;
    worker* goes_on = nullptr;
    connection* arrives = nullptr;
    std::optional<node_id> joins = {};
    std::optional<node_id> leaves = {};
  };

  std::vector<std::string> waiting();
  void make_manager(node_id number, bool joins_later);
  void launched(node_id number);
  void released(node_id number);
  void forget_released();
  bool let_in_held();
  void stop_all();
  void look_at_schedulers();
  void add(possibility what, choice::kind_type kind, std::uint64_t base, std::uint64_t source);
  void add_step(worker& of);
  void add_arrival(connection& of);
  void remove(std::size_t place);
  void happen(possibility const& what);
  void look_at_invariants();
  void enter(worker& w);
  connection& between(node_id from, node_id to);
  /// To the strategy, as resources.
  void tell_touched();
  void touch_connection(bool head, std::uint64_t over);
  void call_made(group_id call) override;
  void object_made(execution const& by, envelope& object) override;

  std::uint64_t name_of_call(frames in) const;
  std::uint64_t name_of(execution const& what) const;
  std::uint64_t name_of(mail const& work) const;
  std::uint64_t name_of(message const& what) const;
  std::string describe(possibility const& what) const;
  std::string describe(frames in, std::uint32_t graph) const;
  std::string describe(mail const& work) const;

  program const& program_;
  settings const settings_;
  strategy& strategy_;
  common_parts common_;
  std::deque<node_part> nodes_;
  std::vector<std::unique_ptr<thread_manager>> released_;  ///< whose execution threads have not left yet
  std::list<worker> workers_;
  std::vector<std::unique_ptr<connection>> connections_;  ///< by from and to
  std::vector<possibility> possible_;                     ///< in the order in which it has become so
  std::vector<choice> choices_;                           ///< the same
  std::vector<dps_thread*> candidates_;
  std::unordered_map<std::uint64_t, std::uint64_t> times_;  ///< how often a base of a name has been used
  struct made_call {
    std::uint64_t name;
    std::string text;  ///< "call 2 of leaf 'sell', 0 of split 'come'", where texts are asked for
  };
  std::unordered_map<group_id, made_call> calls_;             ///< all of the run
  std::unordered_map<std::uint64_t, std::uint64_t> made_by_;  ///< how many by one operation; 0: by the main program
  std::vector<resource> touched_;                             ///< touched_parts, as the strategy gets them
  worker* current_ = nullptr;
  bool main_expected_ = false;  ///< the main program's turn is among what may happen
  bool main_goes_on_ = false;   ///< its turn was the last choice
  bool done_may_hold_ = false;
  std::size_t made_ = 0;
  cut cut_ = cut::none;
  std::optional<failure> failure_;
};

}  // namespace ovlp::explore
