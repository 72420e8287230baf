// SPDX-License-Identifier: BSD-3-Clause
#include "server/server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

#include "server/job_nodes.hpp"

namespace ovlp::cluster {
namespace {

/// What happens at one time, in the order in which it is taken.
struct moment {
  enum class kind_type : std::uint8_t { report, limit };
  double at_s;
  kind_type kind;
  report::kind_type reported;
  job_number job;

  auto order() const { return std::tuple(at_s, kind, reported, job); }
  bool operator>(moment const& other) const { return order() > other.order(); }
};

class server {
 public:
  server(workload const& of, node_count nodes, std::string const& name, scheduler& decides, job_runs& makes_runs,
         watching const& watched)
      : of_(of),
        nodes_(nodes),
        decides_(decides),
        makes_runs_(makes_runs),
        watched_(watched),
        places_(of.jobs.size(), nowhere) {
    run_.scheduler = name;
    run_.nodes = nodes;
    run_.real = makes_runs.is_real();
    run_.of = &of;
    run_.jobs.resize(of.jobs.size());
    owner_.resize(nodes, nobody);
    for (node_count n = nodes; n > 0; --n) free_nodes_.push_back(n - 1);
    for (job const& one : of.jobs) expect_fits(one);
  }

  cluster_run run() {
    if (of_.jobs.empty()) return std::move(run_);
    run_.begin_s = now_s_ = last_s_ = of_.jobs.front().arrival_s;
    makes_runs_.begin(now_s_);
    try {
      while (arrived_ < of_.jobs.size() || !running_.empty() || !waiting_.empty()) {
        base::end_if_interrupted();
        next_moment();
        if (std::exchange(changed_, false)) decide();
        answer_borders();
        if (watched_.look) watched_.look({now_s_, nodes_left(), free(), waiting_, running_}, ended_);
        if (watched_.keep && std::exchange(any_has_ended_, false)) watched_.keep(so_far());
      }
    } catch (base::interrupted const&) {
      if (!makes_runs_.is_real()) throw;
      base::put_off_interrupts const undoing;
      for (run_of_job& one : runs_) one.program.reset();  // with all of its processes
      now_s_ = std::max(now_s_, makes_runs_.wait_until(std::numeric_limits<double>::infinity()));
      return so_far();
    }
    run_.end_s = now_s_;
    run_.idle_node_s = nodes_ * run_.makespan_s() - run_.held_node_s;
    expect_accounts(run_);
    return std::move(run_);
  }

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  static constexpr job_number nobody = std::numeric_limits<job_number>::max();

  struct run_of_job {
    std::unique_ptr<running_program> program;
    double since_s;   ///< when it began to hold so many
    node_count told;  ///< how many it holds, by the last answer
    job_nodes nodes = {};
    std::uint32_t iterations = 0;  ///< that it has done
    std::optional<double> computes_since_s = {};
    std::optional<stretch> last = {};                  ///< of its work, which may become longer
    std::optional<job_result::end_type> ends_as = {};  ///< it is being ended, for this reason
  };

  void expect_fits(job const& one) const {
    if (one.requested > nodes_)
      throw config_error("job '" + one.name + "': expected at most the " + std::to_string(nodes_) +
                         " nodes of the cluster, got " + std::to_string(one.requested));
    if (!one.program.empty() && !one.foreseen()) return;
    for (node_count const nodes : one.possible) {
      if (!one.expected.place_of(nodes))
        throw config_error("job '" + one.name + "': its forecast has no times for " + std::to_string(nodes) + " nodes");
    }
  }

  // Moments

  /// In simulated time what each running job reports next is known before anything is decided: it is there, or beyond.
  void hear_reports() {
    std::erase_if(silent_, [this](job_number number) {
      if (places_[number] == nowhere) return true;
      report const* const told = runs_[places_[number]].program->next();
      if (told != nullptr) moments_.push({told->at_s, moment::kind_type::report, told->kind, number});
      return told != nullptr;
    });
  }

  void next_moment() {
    hear_reports();
    double at_s = std::numeric_limits<double>::infinity();
    if (arrived_ < of_.jobs.size()) at_s = of_.jobs[arrived_].arrival_s;
    if (!moments_.empty()) at_s = std::min(at_s, moments_.top().at_s);
    if (at_s == std::numeric_limits<double>::infinity() && running_.empty())
      throw config_error("scheduler " + run_.scheduler + ": " + std::to_string(waiting_.size()) +
                         " jobs wait, none runs, and it starts none; the first is '" + waiting_.front().what->name +
                         "'");
    now_s_ = std::max(now_s_, makes_runs_.wait_until(at_s));
    for (lost_host const& one : makes_runs_.newly_lost()) lose(one);
    hear_reports();  // what has come meanwhile
    while (!moments_.empty() && moments_.top().at_s <= now_s_) {
      moment const next = moments_.top();
      moments_.pop();
      if (places_[next.job] != nowhere) take(next);
    }
    for (; arrived_ < of_.jobs.size() && of_.jobs[arrived_].arrival_s <= now_s_; ++arrived_) arrive();
  }

  void arrive() {
    waiting_job const one{static_cast<job_number>(arrived_), &of_.jobs[arrived_]};
    if (one.what->requested > nodes_left()) return give_up(one);
    auto const before = [](waiting_job const& a, waiting_job const& b) { return a.what->priority > b.what->priority; };
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), one, before), one);
    changed_ = true;
  }

  void take(moment const& next) {
    std::size_t const place = places_[next.job];
    if (next.kind == moment::kind_type::limit) {
      end_program(place, job_result::end_type::ended_at_limit);
      return;
    }
    running_job& one = running_[place];
    report const* const heard = runs_[place].program->next();
    if (heard == nullptr) {  // it has been ended since, and has something else to say
      silent_.push_back(next.job);
      return;
    }
    report const& told = *heard;
    if (runs_[place].ends_as) {  // as it was told to
      end(place, *runs_[place].ends_as);
      return;
    }
    // A program computes on while nodes come and go.
    bool const between = told.kind == report::kind_type::joined || told.kind == report::kind_type::released;
    if (one.what->program.empty() || !between) count_work(place, told);
    switch (told.kind) {
      case report::kind_type::failed: {
        run_.failures.push_back(base::one_line("job '" + one.what->name + "' " + told.why));
        end(place, job_result::end_type::failed);
        return;
      }
      case report::kind_type::ended:
        note_iterations(runs_[place].iterations + 1, *one.what);
        end(place, job_result::end_type::completed);
        return;
      case report::kind_type::border:
        one.at_border = true;
        runs_[place].iterations = one.iterations = told.iterations;
        if (one.what->foreseen()) one.iterations = std::min(told.iterations, one.what->expected.iterations());
        one.measured_efficiency = told.efficiency;
        changed_ = true;
        return;  // answered when it has been decided
      case report::kind_type::released:
        runs_[place].nodes.released(told.from, told.to);
        rebind(place);
        changed_ = true;
        break;
      case report::kind_type::joined: runs_[place].nodes.joined(told.from, told.to); break;
      case report::kind_type::started: break;
    }
    go_on(place, one.target);
  }

  /// Of a job that is a program and has ended, what was wrongly assumed.
  void note_iterations(std::uint32_t done, job const& of) {
    if (of.program.empty() || !of.malleable()) return;
    if (done == 1) note("'" + of.program.front() + "' says of no iteration that it has ended: its jobs are rigid");
    std::uint32_t const foreseen = of.expected.iterations();
    if (of.foreseen() && done != foreseen)
      note("the forecast of '" + of.name + "' is of another program: it has " + std::to_string(foreseen) +
           " iterations, and its program did " + std::to_string(done));
  }

  void note(std::string text) {
    if (std::ranges::find(run_.notes, text) == run_.notes.end()) run_.notes.push_back(std::move(text));
  }

  void answer_borders() {
    for (std::size_t place = 0; place < running_.size(); ++place) {
      running_job& one = running_[place];
      if (!std::exchange(one.at_border, false)) continue;
      if (std::exchange(runs_[place].told, one.target) != one.target) ++run_.jobs[one.number].changes;
      runs_[place].nodes.tell(one.target);
      go_on(place, one.target);
    }
  }

  void go_on(std::size_t place, node_count nodes) {
    runs_[place].program->go_on(runs_[place].nodes.hosts(nodes));
    silent_.push_back(running_[place].number);
  }

  // Hosts that cannot be used any more

  node_count free() const { return static_cast<node_count>(free_nodes_.size()); }
  node_count nodes_left() const { return nodes_ - static_cast<node_count>(lost_.size()); }

  void lose(lost_host const& one) {
    if (one.host >= nodes_) return;  // of a cluster that is smaller than what it stands on
    lost_.insert(one.host);
    note(base::one_line("host " + makes_runs_.name_of(one.host) + " is not used any more: " + one.why));
    std::erase(free_nodes_, one.host);  // else it belongs to a job, up to the end of that
    give_up_hopeless();
    changed_ = true;
  }

  void give_up(waiting_job const& one) {
    run_.failures.push_back(base::one_line("job '" + one.what->name + "' asks for " +
                                           std::to_string(one.what->requested) + " nodes, and " +
                                           std::to_string(nodes_left()) + " are left"));
    job_result& result = run_.jobs[one.number];
    result.start_s = result.end_s = now_s_;
    result.end = job_result::end_type::failed;
    ++ended_;
  }

  void give_up_hopeless() {
    std::erase_if(waiting_, [this](waiting_job const& one) {
      if (one.what->requested <= nodes_left()) return false;
      give_up(one);
      return true;
    });
  }

  /// What would become of all jobs if the run was ended now.
  cluster_run so_far() const {
    cluster_run made = run_;
    made.end_s = now_s_;
    made.held_node_s += held_ * (now_s_ - last_s_);
    for (std::size_t place = 0; place < running_.size(); ++place) {
      running_job const& one = running_[place];
      job_result& result = made.jobs[one.number];
      result.held_node_s += one.held * (now_s_ - runs_[place].since_s);
      result.end_s = now_s_;
      result.end = job_result::end_type::unfinished;
      made.holdings.push_back({now_s_, one.number, 0});
      if (runs_[place].last) made.stretches.push_back(*runs_[place].last);
    }
    for (job_result& one : made.jobs) {
      if (one.first_nodes > 0 || one.end == job_result::end_type::failed) continue;
      one.start_s = one.end_s = now_s_;
      one.end = job_result::end_type::unfinished;
    }
    made.idle_node_s = nodes_ * made.makespan_s() - made.held_node_s;
    expect_accounts(made);
    return made;
  }

  // Orders

  void decide() {
    for (std::size_t place = 0; place < running_.size(); ++place) {
      running_job& one = running_[place];
      one.spent_node_s = run_.jobs[one.number].held_node_s + one.held * (now_s_ - runs_[place].since_s);
    }
    orders_.clear();
    decides_.decide({now_s_, nodes_left(), free(), waiting_, running_}, orders_);
    for (order const& one : orders_) carry_out(one);
  }

  [[noreturn]] void refuse(order const& what, std::string const& expected) const {
    static constexpr std::array names{"start", "hold", "end"};
    throw config_error("scheduler " + run_.scheduler + " at " + std::to_string(now_s_) + " s: order to " +
                       names[static_cast<std::size_t>(what.kind)] + " job " + std::to_string(what.job) + " on " +
                       std::to_string(what.nodes) + " nodes: expected " + expected);
  }

  void carry_out(order const& what) {
    if (what.job >= of_.jobs.size()) refuse(what, "a job of the workload");
    if (what.kind == order::kind_type::start) {
      start(what);
      return;
    }
    std::size_t const place = places_[what.job];
    if (place == nowhere) refuse(what, "a job that runs");
    if (what.kind == order::kind_type::end) {
      end_program(place, job_result::end_type::ended_by_scheduler);
      return;
    }
    running_job& one = running_[place];
    if (!std::ranges::binary_search(one.what->possible, what.nodes)) refuse(what, "a number that it can hold");
    if (what.nodes > one.most(free())) refuse(what, "no more than the " + std::to_string(free()) + " free nodes");
    if (std::exchange(one.target, what.nodes) != what.nodes) rebind(place);
  }

  void start(order const& what) {
    auto const found = std::ranges::find(waiting_, what.job, &waiting_job::number);
    if (found == waiting_.end()) refuse(what, "a job that waits");
    if (!std::ranges::binary_search(found->what->possible, what.nodes)) refuse(what, "a number that it can hold");
    if (what.nodes > free()) refuse(what, "no more than the " + std::to_string(free()) + " free nodes");
    job const& one = *found->what;
    waiting_.erase(found);
    places_[what.job] = running_.size();
    running_.push_back({what.job, &one, 0, what.nodes, false, 0, now_s_, 0, 1});
    runs_.push_back({nullptr, now_s_, what.nodes});
    runs_.back().nodes.tell(what.nodes);
    job_result& result = run_.jobs[what.job];
    result.start_s = now_s_;
    result.first_nodes = what.nodes;
    rebind(places_[what.job]);
    runs_.back().program = makes_runs_.start(what.job, one, now_s_, runs_.back().nodes.hosts(what.nodes));
    silent_.push_back(what.job);
    if (of_.ends_jobs) moments_.push({now_s_ + one.requested_s, moment::kind_type::limit, {}, what.job});
  }

  // Accounts

  /// What a job has computed up to now, before its report is taken, or it is ended. With a forecast it computes from
  /// the last report to the next border, or its end; of a program nobody knows how efficient its last iteration was: as
  /// the one before. What was lost when it failed is no work.
  void count_work(std::size_t place, report const& told) {
    using enum report::kind_type;
    running_job const& one = running_[place];
    run_of_job& of = runs_[place];
    bool const program = !one.what->program.empty(), over = told.kind == border || told.kind == ended;
    std::optional<double> const since_s = std::exchange(of.computes_since_s, now_s_);
    if (!since_s || *since_s == now_s_ || told.kind == failed || (!program && !over)) return;
    bool const known = told.kind == border || (told.kind == ended && !program);
    stretch const did{one.number, of.told, *since_s, now_s_,
                      std::min(1.0, known ? told.efficiency : one.measured_efficiency)};
    run_.jobs[one.number].work_node_s += did.work_node_s();
    run_.work_node_s += did.work_node_s();
    if (of.last && of.last->to_s == did.from_s && of.last->nodes == did.nodes &&
        of.last->efficiency == did.efficiency) {
      of.last->to_s = now_s_;
      return;
    }
    if (of.last) run_.stretches.push_back(*of.last);
    of.last = did;
  }

  /// Once it is to hold another number of nodes, or has released some.
  void rebind(std::size_t place) {
    running_job& one = running_[place];
    run_of_job& of = runs_[place];
    job_result& result = run_.jobs[one.number];
    result.held_node_s += one.held * (now_s_ - std::exchange(of.since_s, now_s_));
    run_.held_node_s += held_ * (now_s_ - std::exchange(last_s_, now_s_));
    auto const take = [&] {
      node_count const host = free_nodes_.back();
      free_nodes_.pop_back();
      if (std::exchange(owner_[host], one.number) != nobody)
        throw std::logic_error("node " + std::to_string(host) + " is held twice");
      ++held_;
      return host;
    };
    of.nodes.rebind(one.target, take, [&](node_count host) {
      owner_[host] = nobody;
      --held_;
      if (!lost_.contains(host)) free_nodes_.push_back(host);
    });
    if (std::exchange(one.held, of.nodes.held()) == one.held) return;
    result.most_nodes = std::max(result.most_nodes, one.held);
    run_.holdings.push_back({now_s_, one.number, one.held});
  }

  void end_program(std::size_t place, job_result::end_type how) {
    run_of_job& of = runs_[place];
    if (of.ends_as) return;
    report const* const told = of.program->next();
    report const now = told != nullptr ? *told : report{report::kind_type::ended, now_s_};
    running_program::ending const ends = of.program->end();
    if (ends == running_program::ending::by_itself) return;
    count_work(place, now);
    if (ends == running_program::ending::over) {
      end(place, how);
    } else {
      of.ends_as = how;
    }
  }

  void end(std::size_t place, job_result::end_type how) {
    runs_[place].nodes.all_released();
    running_[place].target = 0;
    rebind(place);
    if (runs_[place].last) run_.stretches.push_back(*runs_[place].last);
    job_number const number = running_[place].number;
    run_.jobs[number].end_s = now_s_;
    run_.jobs[number].end = how;
    ++ended_;
    any_has_ended_ = true;
    places_[number] = nowhere;
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(place));
    for (; place < running_.size(); ++place) places_[running_[place].number] = place;
    changed_ = true;
  }

  workload const& of_;
  node_count const nodes_;
  scheduler& decides_;
  job_runs& makes_runs_;
  watching const& watched_;
  cluster_run run_;

  double now_s_ = 0;
  std::size_t arrived_ = 0;
  std::priority_queue<moment, std::vector<moment>, std::greater<>> moments_;
  std::vector<job_number> silent_;  ///< their next report is not known
  bool changed_ = false;
  std::size_t ended_ = 0;
  bool any_has_ended_ = false;  ///< since that was told

  node_count held_ = 0;  ///< by all
  std::vector<node_count> free_nodes_;
  std::set<node_count> lost_;
  std::vector<job_number> owner_;     ///< of each node
  std::vector<waiting_job> waiting_;  ///< as `known` has them
  std::vector<running_job> running_;
  std::vector<run_of_job> runs_;     ///< of running_, in its order
  std::vector<std::size_t> places_;  ///< of jobs, in running_
  std::vector<order> orders_;

  double last_s_ = 0;
};

}  // namespace

cluster_run run_cluster(workload const& of, node_count nodes, std::string const& scheduler_name, scheduler& decides,
                        job_runs& runs, watching const& watched) {
  return server(of, nodes, scheduler_name, decides, runs, watched).run();
}

namespace {

class simulated_runs final : public job_runs {
 public:
  explicit simulated_runs(cluster_description on) : on_(std::move(on)) {}
  std::unique_ptr<running_program> start(job_number /*number*/, job const& of, double now_s,
                                         hosts_of_job hosts) override {
    return (of.program.empty() ? run_forecast : run_process)(of, now_s, static_cast<node_count>(hosts.size()), on_);
  }

 private:
  cluster_description const on_;
};

}  // namespace

cluster_run simulate(workload const& of, cluster_description const& on, std::string const& scheduler_name,
                     scheduler& decides) {
  simulated_runs runs(on);
  return run_cluster(of, on.nodes, scheduler_name, decides, runs);
}

}  // namespace ovlp::cluster
