// SPDX-License-Identifier: BSD-3-Clause
// Paraver's .prv, .pcf and .row. Nodes, tasks, threads and CPUs are numbered from 1; CPU 0 is none.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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
constexpr state running{1, "Running", "{0,0,255}"};
/// By cause.
constexpr std::array<state, 5> waiting{{
    {3, "Waiting for an object", "{255,0,0}"},
    {4, "Waiting for room in a window", "{255,0,174}"},
    {5, "Waiting for a condition", "{179,0,0}"},
    {8, "Waiting for a call", "{89,0,96}"},
    {9, "Waiting for a change of a collection", "{0,0,128}"},
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
    for (timeline::message const& m : run_.messages) messages_.push_back(&m);
    std::stable_sort(lines_.begin(), lines_.end(), [](line const& a, line const& b) {
      return std::tuple(a.at_ns, a.residence, a.is) < std::tuple(b.at_ns, b.residence, b.is);
    });
    write_trace();
    write_labels();
    write_names();
  }

 private:
  struct line {
    enum class kind : std::uint8_t { events, state };
    std::int64_t at_ns;
    std::int64_t end_ns;  ///< of a state
    std::uint32_t residence;
    std::uint32_t cpu;
    kind is;
    std::uint32_t value;  ///< a state's number; how many events
    std::size_t first_event;
  };
  struct event {
    std::uint32_t type;
    std::uint32_t value;
  };

  void number_threads() {
    threads_of_node_.resize(run_.nodes);
    for (timeline::residence const& r : run_.residences) thread_number_.push_back(++threads_of_node_[r.node]);
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
    std::map<std::uint32_t, std::uint32_t> iteration;  // last of each residence
    std::size_t const first_line = lines_.size();
    // What happens to a thread at one instant stands in one line.
    auto const add_event = [&](std::int64_t at_ns, std::uint32_t residence, std::uint32_t cpu, event what) {
      std::size_t last = lines_.size();
      while (last > first_line && lines_[last - 1].is == line::kind::state) --last;
      if (last == first_line || lines_[last - 1].at_ns != at_ns || lines_[last - 1].residence != residence) {
        lines_.push_back({at_ns, 0, residence, cpu, line::kind::events, 0, events_.size()});
        last = lines_.size();
      }
      lines_[last - 1].value++;
      if (cpu != 0) lines_[last - 1].cpu = cpu;
      events_.push_back(what);
    };
    auto const add_state = [&](std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t residence, std::uint32_t cpu,
                               state const& is) {
      lines_.push_back({begin_ns, end_ns, residence, cpu, line::kind::state, is.number, 0});
    };
    run_.walk(
        thread,
        [&](timeline::wait const& w) {
          add_state(w.begin_ns, w.end_ns, w.residence, 0, waiting.at(static_cast<std::size_t>(w.cause)));
        },
        [&](timeline::step const& s, auto kernels) {
          std::uint32_t const cpu = cpu_[static_cast<std::size_t>(&s - run_.steps.data())];
          if (s.begin_ns < s.end_ns) add_state(s.begin_ns, s.end_ns, s.residence, cpu, running);
          auto const add = [&](std::int64_t at_ns, std::uint32_t type, std::uint32_t value) {
            add_event(at_ns, s.residence, cpu, {type, value});
          };
          auto const now = static_cast<std::uint32_t>(s.iteration);
          if (std::exchange(iteration[s.residence], now) != now) add(s.begin_ns, iteration_event, now);
          add(s.begin_ns, operation_event, s.operation + 1);
          for (timeline::kernel const& k : kernels) {
            add(k.begin_ns, kernel_event, k.name + 1);
            add(k.end_ns, kernel_event, 0);
          }
          add(s.end_ns, operation_event, 0);
        });
  }

  /// CPU, application, task, thread.
  std::string object(std::uint32_t cpu, std::uint32_t residence) const {
    return std::to_string(cpu) + ":1:" + std::to_string(run_.node_of(residence) + 1) + ':' +
           std::to_string(thread_number_[residence]);
  }

  void write_trace() const {
    output_file to(name_.string() + ".prv");
    // The record has no date, and of one record there is one trace.
    std::string header =
        "#Paraver (01/01/1970 at 00:00):" + std::to_string(run_.end_ns) + "_ns:" + std::to_string(run_.nodes) + '(';
    for (std::uint32_t node = 0; node < run_.nodes; ++node)
      header += (node == 0 ? "" : ",") + std::to_string(cpus_of_node_[node]);
    header += "):1:" + std::to_string(run_.nodes) + '(';
    for (std::uint32_t node = 0; node < run_.nodes; ++node)
      header += (node == 0 ? "" : ",") + std::to_string(threads_of_node_[node]) + ':' + std::to_string(node + 1);
    to.write(header + ")\n");
    auto message = messages_.begin();
    for (line const& l : lines_) {
      for (; message != messages_.end() && (*message)->sent_ns < l.at_ns; ++message) to.write(text_of(**message));
      to.write(text_of(l));
    }
    for (; message != messages_.end(); ++message) to.write(text_of(**message));
    to.close();
  }
  std::string text_of(line const& l) const {
    std::string text = l.is == line::kind::state ? "1:" : "2:";
    text += object(l.cpu, l.residence) + ':' + std::to_string(l.at_ns);
    if (l.is == line::kind::state) return text + ':' + std::to_string(l.end_ns) + ':' + std::to_string(l.value) + '\n';
    for (std::size_t e = l.first_event; e < l.first_event + l.value; ++e)
      text += ':' + std::to_string(events_[e].type) + ':' + std::to_string(events_[e].value);
    return text + '\n';
  }
  std::string text_of(timeline::message const& m) const {
    return "3:" + object(0, m.from) + ':' + std::to_string(m.sent_ns) + ':' + std::to_string(m.started_ns) + ':' +
           object(0, m.to) + ':' + std::to_string(m.arrived_ns) + ':' + std::to_string(m.arrived_ns) + ':' +
           std::to_string(m.bytes) + ":0\n";
  }

  void write_labels() const {
    output_file to(name_.string() + ".pcf");
    to.write(
        "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\n"
        "DEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n\nSTATES\n0 Idle\n");
    auto const each_state = [&](auto const& write) {
      write(running);
      for (state const& s : waiting) write(s);
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
    output_file to(name_.string() + ".row");
    std::vector<std::string> cpus, nodes, threads;
    for (std::uint32_t node = 0; node < run_.nodes; ++node) {
      nodes.push_back(name_of_node(node));
      for (std::uint32_t cpu = 0; cpu < cpus_of_node_[node]; ++cpu)
        cpus.push_back(name_of_node(node) + '.' + std::to_string(cpu));
    }
    for (timeline::residence const& r : run_.residences)
      threads.push_back(run_.threads[r.thread].name + ' ' + name_of_node(r.node));
    auto const level = [&](std::string const& name, std::vector<std::string> const& labels) {
      to.write("LEVEL " + name + " SIZE " + std::to_string(labels.size()) + '\n');
      for (std::string const& label : labels) to.write(label + '\n');
      to.write("\n");
    };
    level("CPU", cpus);
    level("NODE", nodes);
    level("APPL", {run_.application});
    level("TASK", nodes);
    level("THREAD", threads);
    to.close();
  }

  timeline const& run_;
  std::filesystem::path name_;                  ///< without .prv
  std::vector<std::uint32_t> thread_number_;    ///< of a residence, in its task
  std::vector<std::uint32_t> threads_of_node_;  ///< residences there
  std::vector<std::uint32_t> cpus_of_node_;
  std::vector<std::uint32_t> cpu_;  ///< of a step, among those of all nodes
  std::vector<line> lines_;
  std::vector<event> events_;
  std::vector<timeline::message const*> messages_;
};

}  // namespace

void write_paraver(timeline const& run, std::string const& output) { paraver_files(run, output).write(); }

}  // namespace ovlp::exports
