// SPDX-License-Identifier: BSD-3-Clause
#include "slurm_shrinker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::real {
namespace {

constexpr std::chrono::seconds answer_patience{30};  // its daemon may be busy

std::string names_of(std::vector<node_id> const& nodes) {
  std::vector<std::string> names;
  for (node_id node : nodes) names.push_back(node_name(node));
  return base::joined(names);
}

}  // namespace

slurm_shrinker::slurm_shrinker(std::string job, std::vector<base::host> const& hosts,
                               std::function<void(std::string const&)> complain)
    : job_(std::move(job)), complain_(std::move(complain)) {
  for (base::host const& h : hosts) machines_.push_back({h.name});
}

void slurm_shrinker::use(node_id node) {
  machine& wanted = machines_[node];
  if (wanted.at == stage::refused) wanted.at = stage::held;
  if (wanted.at == stage::held) return;
  throw config_error(node_name(node) + " cannot be added: its machine " + wanted.name +
                     " has been given back to Slurm");
}

void slurm_shrinker::release(node_id node) { machines_[node].at = stage::leaving; }

void slurm_shrinker::tick(std::set<node_id> const& gone, bool more_leave) {
  for (node_id node : gone) {
    if (machines_[node].at == stage::leaving) machines_[node].at = stage::left;
  }
  if (scontrol_ && scontrol_->wait(std::chrono::seconds(0))) note_end();
  if (!scontrol_ && any(stage::left) && !any(stage::leaving) && !more_leave) start();
}

bool slurm_shrinker::any(stage at) const { return std::ranges::count(machines_, at, &machine::at) > 0; }

std::vector<node_id> slurm_shrinker::move_all(stage from, stage to) {
  std::vector<node_id> moved;
  for (node_id n = 0; n < machines_.size(); ++n) {
    if (machines_[n].at != from) continue;
    machines_[n].at = to;
    moved.push_back(n);
  }
  return moved;
}

void slurm_shrinker::start() {
  move_all(stage::refused, stage::asked);
  move_all(stage::left, stage::asked);
  std::vector<std::string> kept;
  for (machine const& m : machines_) {
    if (m.at == stage::held) kept.push_back(m.name);
  }
  try {
    // It writes a script for shells of the job where it runs; nobody is to find that.
    if (!folder_) folder_.emplace();
    scontrol_.emplace(base::command{{"env", "--chdir=" + folder_->path().string(), "scontrol", "update",
                                     "JobId=" + job_, "NodeList=" + base::joined(kept, ",")}});
  } catch (std::exception const& wrong) {
    complain_(names_of(move_all(stage::asked, stage::refused)) + " cannot be given back to Slurm: " + wrong.what());
  }
}

void slurm_shrinker::note_end() {
  if (scontrol_->wait(std::chrono::seconds(0)) == 0) {
    move_all(stage::asked, stage::given_back);
  } else {
    complain_(names_of(move_all(stage::asked, stage::refused)) +
              " cannot be given back to Slurm yet: " + base::last_line(scontrol_->err()));
  }
  scontrol_.reset();
}

void slurm_shrinker::finish() {
  auto const until = std::chrono::steady_clock::now() + answer_patience;
  while (scontrol_ && std::chrono::steady_clock::now() < until) {
    if (scontrol_->wait(std::chrono::milliseconds(100))) note_end();
  }
}

}  // namespace ovlp::real
