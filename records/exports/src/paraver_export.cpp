// SPDX-License-Identifier: BSD-3-Clause
// Paraver's .prv, .pcf and .row. Nodes, tasks, threads and CPUs are numbered from 1; CPU 0 is none.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "output_file.hpp"
#include "timeline.hpp"
#include "writers.hpp"

namespace ovlp::exports {
namespace {

/// Numbers as tools of Paraver know them from MPI.
struct state {
  std::uint32_t number;
  char const* name;
  char const* colour;
};
constexpr state running_state{1, "Running", "{0,0,255}"};
/// By cause.
constexpr std::array<state, wait_cause_names.size()> waiting_states{{
    {3, "Waiting for an object", "{255,0,0}"},
    {4, "Waiting for room in a window", "{255,0,174}"},
    {5, "Waiting for a condition", "{179,0,0}"},
    {8, "Waiting for a call", "{89,0,96}"},
    {9, "Waiting for a change of a collection", "{0,0,128}"},
    {13, "Waiting for what was posted to be handled", "{255,144,26}"},
}};

// Types of events. Value 0: the end, or none.
constexpr std::uint32_t operation_event = 91000001, kernel_event = 91000002, iteration_event = 91000003;

class paraver_files {
 public:
  paraver_files(timeline const& run, std::string const& output) : run_(run), name_(output) {
    if (name_.extension() == ".prv") name_.replace_extension();
  }

  void write() {
    number_threads();
    assign_cpus();
    for (std::uint32_t thread = 0; thread < run_.threads.size(); ++thread) add_thread(thread);
    std::stable_sort(lines_.begin(), lines_.end(), [&](line const& a, line const& b) {
      return std::tuple(a.at_ns, residence_of(a), is_state(a)) < std::tuple(b.at_ns, residence_of(b), is_state(b));
    });
    write_trace();
    write_labels();
    write_names();
  }

 private:
  /// A state, or an event. Those of a thread at one instant come in this order: events as they happened, then states.
  enum class kind : std::uint8_t { step_begins, kernel_begins, kernel_ends, step_ends, running, waiting };
  struct task {
    std::uint32_t node = 0, threads = 0;
  };
  struct thread_of_task {
    std::size_t task;
    std::uint32_t thread;
  };
  struct line {
    std::int64_t at_ns;
    std::uint32_t number;  ///< of a step, kernel or wait
    kind is;
  };

  /// A rank of MPI is a task, to which belongs what else it runs; else a node is one.
  void number_threads() {
    tasks_.resize(run_.of_mpi() ? run_.ranks() : run_.nodes);
    for (timeline::residence const& r : run_.residences) {
      std::size_t const number = run_.of_mpi() ? r.thread % tasks_.size() : r.node;
      task& its = tasks_[number];
      its.node = r.node;
      own_.push_back({number + 1, ++its.threads});
    }
  }

  /// The record does not tell on which core a step ran: a node has as many as ran at once, and a step gets the first
  /// that is free. What takes no time takes none.
  void assign_cpus() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t s = 0; s < run_.steps.size(); ++s)
      if (run_.steps[s].begin_ns < run_.steps[s].end_ns) order.push_back(s);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return run_.steps[a].begin_ns < run_.steps[b].begin_ns; });
    struct node {
      std::set<std::uint32_t> free;
      std::priority_queue<std::pair<std::int64_t, std::uint32_t>, std::vector<std::pair<std::int64_t, std::uint32_t>>,
                          std::greater<>>
          busy;  ///< until when, and which
      std::uint32_t cpus = 0;
    };
    std::vector<node> nodes(run_.nodes);
    cpu_.resize(run_.steps.size());
    for (std::uint32_t const s : order) {
      node& on = nodes[run_.node_of(run_.steps[s].residence)];
      for (; !on.busy.empty() && on.busy.top().first <= run_.steps[s].begin_ns; on.busy.pop())
        on.free.insert(on.busy.top().second);
      if (on.free.empty()) on.free.insert(++on.cpus);
      cpu_[s] = *on.free.begin();
      on.free.erase(on.free.begin());
      on.busy.emplace(run_.steps[s].end_ns, cpu_[s]);
    }
    std::vector<std::uint32_t> before;
    std::uint32_t all = 0;
    for (node const& n : nodes) {
      before.push_back(all);
      cpus_of_node_.push_back(std::max(n.cpus, 1u));
      all += cpus_of_node_.back();
    }
    for (std::uint32_t const s : order) cpu_[s] += before[run_.node_of(run_.steps[s].residence)];
  }

  void add_thread(std::uint32_t thread) {
    run_.walk(
        thread,
        [&](timeline::wait const& w) {
          lines_.push_back({w.begin_ns, number_of(w, run_.waits), kind::waiting});
        },
        [&](timeline::step const& s, auto kernels) {
          std::uint32_t const step = number_of(s, run_.steps);
          if (s.begin_ns < s.end_ns) lines_.push_back({s.begin_ns, step, kind::running});
          lines_.push_back({s.begin_ns, step, kind::step_begins});
          for (timeline::kernel const& k : kernels) {
            lines_.push_back({k.begin_ns, number_of(k, run_.kernels), kind::kernel_begins});
            lines_.push_back({k.end_ns, number_of(k, run_.kernels), kind::kernel_ends});
          }
          lines_.push_back({s.end_ns, step, kind::step_ends});
        });
  }
  template <class Row>
  static std::uint32_t number_of(Row const& row, std::vector<Row> const& rows) {
    return static_cast<std::uint32_t>(&row - rows.data());
  }
  timeline::step const& step_of(line const& l) const {
    bool const of_kernel = l.is == kind::kernel_begins || l.is == kind::kernel_ends;
    return run_.steps[of_kernel ? run_.kernels[l.number].step : l.number];
  }
  std::uint32_t residence_of(line const& l) const {
    return l.is == kind::waiting ? run_.waits[l.number].residence : step_of(l).residence;
  }
  static bool is_state(line const& l) { return l.is == kind::running || l.is == kind::waiting; }

  std::uint32_t cpu_of(timeline::step const& s) const { return cpu_[number_of(s, run_.steps)]; }
  /// CPU, application, task, thread.
  std::string object(std::uint32_t cpu, std::uint32_t residence) const {
    return std::to_string(cpu) + ":1:" + std::to_string(own_[residence].task) + ':' +
           std::to_string(own_[residence].thread);
  }

  void write_trace() const {
    output_file to(name_.string() + ".prv", "#Paraver ");
    // The record has no date, and of one record there is one trace.
    std::string header =
        "#Paraver (01/01/1970 at 00:00):" + std::to_string(run_.end_ns) + "_ns:" + std::to_string(run_.nodes) + '(';
    for (std::uint32_t node = 0; node < run_.nodes; ++node)
      header += (node == 0 ? "" : ",") + std::to_string(cpus_of_node_[node]);
    header += "):1:" + std::to_string(tasks_.size()) + '(';
    for (task const& t : tasks_)
      header += (&t == &tasks_.front() ? "" : ",") + std::to_string(t.threads) + ':' + std::to_string(t.node + 1);
    header += ')';
    if (run_.of_mpi()) header += ',' + std::to_string(run_.communicators.size());
    to.write(header + '\n');
    for (std::size_t c = 0; c < run_.communicators.size(); ++c) {
      std::string members;
      for (std::uint32_t const rank : run_.communicators[c]) members += ':' + std::to_string(rank + 1);
      to.write("c:1:" + std::to_string(c + 1) + ':' + std::to_string(run_.communicators[c].size()) + members + '\n');
    }
    auto message = run_.messages.begin();
    auto const messages_until = [&](std::int64_t until_ns) {
      for (; message != run_.messages.end() && message->sent_ns < until_ns; ++message) to.write(text_of(*message));
    };
    std::vector<std::int32_t> iterations(run_.residences.size());
    for (auto l = lines_.begin(); l != lines_.end();) {
      messages_until(l->at_ns);
      if (is_state(*l)) {
        to.write(text_of_state(*l++));
        continue;
      }
      // What happens to a thread at one instant stands in one line.
      std::uint32_t const residence = residence_of(*l);
      std::int64_t const at_ns = l->at_ns;
      std::uint32_t cpu = 0;
      std::string events;
      for (; l != lines_.end() && l->at_ns == at_ns && residence_of(*l) == residence && !is_state(*l); ++l) {
        cpu = std::max(cpu, cpu_of(step_of(*l)));
        events += text_of_event(*l, iterations[residence]);
      }
      to.write("2:" + object(cpu, residence) + ':' + std::to_string(at_ns) + events + '\n');
    }
    messages_until(run_.end_ns + 1);
    to.close();
  }
  std::string text_of_state(line const& l) const {
    auto const text = [&](auto const& of, std::uint32_t cpu, state const& is) {
      return "1:" + object(cpu, of.residence) + ':' + std::to_string(of.begin_ns) + ':' + std::to_string(of.end_ns) +
             ':' + std::to_string(is.number) + '\n';
    };
    if (l.is == kind::running) return text(step_of(l), cpu_of(step_of(l)), running_state);
    timeline::wait const& w = run_.waits[l.number];
    return text(w, 0, waiting_states.at(static_cast<std::size_t>(w.cause)));
  }
  /// `iteration`: of the thread, so far.
  std::string text_of_event(line const& l, std::int32_t& iteration) const {
    auto const text = [](std::uint32_t type, auto value) {
      return ':' + std::to_string(type) + ':' + std::to_string(value);
    };
    switch (l.is) {
      case kind::kernel_begins: return text(kernel_event, run_.kernels[l.number].name + 1);
      case kind::kernel_ends: return text(kernel_event, 0);
      case kind::step_ends: return text(operation_event, 0);
      default: break;
    }
    timeline::step const& s = step_of(l);
    bool const next = std::exchange(iteration, s.iteration) != s.iteration;
    return (next ? text(iteration_event, s.iteration) : "") + text(operation_event, s.operation + 1);
  }
  std::string text_of(timeline::message const& m) const {
    std::int64_t const received_ns = run_.of_mpi() ? m.posted_ns : m.arrived_ns;
    return "3:" + object(0, m.from) + ':' + std::to_string(m.sent_ns) + ':' + std::to_string(m.started_ns) + ':' +
           object(0, m.to) + ':' + std::to_string(received_ns) + ':' + std::to_string(m.arrived_ns) + ':' +
           std::to_string(m.bytes) + ':' + std::to_string(m.tag) + '\n';
  }

  void write_labels() const {
    output_file to(name_.string() + ".pcf", "DEFAULT_OPTIONS");
    to.write(
        "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\n"
        "DEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n\nSTATES\n0 Idle\n");
    auto const each_state = [&](auto const& write) {
      write(running_state);
      for (state const& s : waiting_states) write(s);
    };
    each_state([&](state const& s) { to.write(std::to_string(s.number) + ' ' + s.name + '\n'); });
    to.write("\nSTATES_COLOR\n0 {117,195,255}\n");
    each_state([&](state const& s) { to.write(std::to_string(s.number) + ' ' + s.colour + '\n'); });
    auto const type = [&](std::uint32_t number, std::string const& label) {
      to.write("\nEVENT_TYPE\n0 " + std::to_string(number) + ' ' + label + '\n');
    };
    type(operation_event, "Operation");
    to.write("VALUES\n0 End\n");
    for (std::size_t o = 0; o < run_.operations.size(); ++o) {
      timeline::operation const& is = run_.operations[o];
      to.write(std::to_string(o + 1) + ' ' + is.name + " (" + is.kind + " of " + is.graph + ")\n");
    }
    type(kernel_event, "Kernel");
    to.write("VALUES\n0 End\n");
    for (std::size_t k = 0; k < run_.kernel_names.size(); ++k) {
      timeline::kernel_name const& is = run_.kernel_names[k];
      to.write(std::to_string(k + 1) + ' ' + is.name + (is.sizes.empty() ? "" : " " + is.sizes) + '\n');
    }
    type(iteration_event, "Iteration");
    to.close();
  }

  void write_names() const {
    output_file to(name_.string() + ".row", "LEVEL ");
    std::vector<std::string> cpus, nodes, ranks, threads;
    for (std::size_t r = 0; r < run_.ranks(); ++r) ranks.push_back("rank" + std::to_string(r));
    for (std::uint32_t node = 0; node < run_.nodes; ++node) {
      nodes.push_back(name_of_node(node));
      for (std::uint32_t cpu = 0; cpu < cpus_of_node_[node]; ++cpu)
        cpus.push_back(name_of_node(node) + '.' + std::to_string(cpu));
    }
    std::vector<std::uint32_t> order(run_.residences.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return own_[a].task < own_[b].task; });
    for (std::uint32_t const residence : order)
      threads.push_back(run_.threads[run_.thread_of(residence)].name + ' ' + name_of_node(run_.node_of(residence)));
    auto const level = [&](std::string const& name, std::vector<std::string> const& labels) {
      to.write("LEVEL " + name + " SIZE " + std::to_string(labels.size()) + '\n');
      for (std::string const& label : labels) to.write(label + '\n');
      to.write("\n");
    };
    level("CPU", cpus);
    level("NODE", nodes);
    level("APPL", {run_.title()});
    level("TASK", run_.of_mpi() ? ranks : nodes);
    level("THREAD", threads);
    to.close();
  }

  timeline const& run_;
  std::filesystem::path name_;  ///< without .prv
  std::vector<task> tasks_;
  std::vector<thread_of_task> own_;  ///< of residences
  std::vector<std::uint32_t> cpus_of_node_;
  std::vector<std::uint32_t> cpu_;  ///< of a step, among those of all nodes
  std::vector<line> lines_;
};

}  // namespace

void write_paraver(timeline const& run, std::string const& output, export_note const& note) {
  constexpr std::size_t most = 65535;  // Source: paraver-kernel, utils/traceparser/tracetypes.h: TObjectOrder
  if (std::size_t const objects = std::max<std::size_t>(run.residences.size(), run.nodes); objects > most) {
    note("Paraver as it is usually built reads " + std::to_string(most) + " objects of a kind at most: these are " +
         std::to_string(objects) + (run.residences.size() > most ? " threads" : " nodes"));
  }
  paraver_files(run, output).write();
}

}  // namespace ovlp::exports
