// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/machines.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::base {
namespace {

/// Starts a process in a step of its own that may use all that the job has on its machine.
constexpr char const* slurm_launch_template =
    "srun --nodes=1 --ntasks=1 --nodelist={host} --overlap --mpi=none --export=ALL --quiet "
    "{program} {arguments}";

constexpr std::chrono::seconds answer_patience{30};  // its daemon may be busy

std::string environment(char const* name) {
  char const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

std::string answer_of(std::vector<std::string> const& command) {
  try {
    outcome const done = run({command, "", {}, answer_patience});
    if (done.good()) return done.out;
    throw config_error("--hosts slurm: " + command[0] + ": " + done.complaint());
  } catch (io_error const& wrong) {
    throw config_error(std::string("--hosts slurm: ") + wrong.what());
  }
}

/// What follows the key in one of the words; "": nothing does.
std::string value_of(std::string_view key, std::vector<std::string> const& words) {
  auto const found = std::ranges::find_if(words, [&](auto const& word) { return word.starts_with(key); });
  return found == words.end() ? "" : found->substr(key.size());
}

/// "JobId=7 ... NodeList=n[0-3] ...": of an array of jobs the tasks, a line each.
std::string machines_in(std::string const& answer, std::string const& job) {
  for (std::string const& line : lines_of(answer)) {
    std::vector<std::string> const words = words_of(line);
    if (words.empty() || words.front() != "JobId=" + job) continue;
    if (std::string list = value_of("NodeList=", words); list != "(null)") return list;
  }
  return "";
}

/// The machines of the job that this process runs in, as it is now. Asks Slurm's commands.
void find_slurm_machines(machines& found) {
  std::string const& job = found.slurm_job = environment("SLURM_JOB_ID");
  if (job.empty()) {
    throw config_error(
        "--hosts slurm: expected to run within a job of Slurm, as in 'sbatch -N4 SCRIPT'; SLURM_JOB_ID is not set");
  }
  // Not what the environment says: a job may have given machines back since it began.
  std::string const list = machines_in(answer_of({"scontrol", "--oneliner", "show", "job", job}), job);
  if (list.empty()) throw config_error("--hosts slurm: job " + job + " has no machines now");
  for (std::string const& line : lines_of(answer_of({"scontrol", "--oneliner", "show", "node", list}))) {
    // "NodeName=n0 ... NodeAddr=10.0.0.1 ...": of a machine
    std::vector<std::string> const words = words_of(line);
    host const read{value_of("NodeName=", words), value_of("NodeAddr=", words)};
    if (!read.name.empty()) found.hosts.push_back(read);
  }
  std::string const here = environment("SLURMD_NODENAME");
  auto const self = std::ranges::find(found.hosts, here, &host::name);
  if (self == found.hosts.end()) {
    throw config_error("--hosts slurm: expected to run on one of the machines of job " + job + " (" + list +
                       "), as a script of sbatch does; this " + (here.empty() ? "is none" : "is " + here));
  }
  std::rotate(found.hosts.begin(), self, self + 1);
}

}  // namespace

std::string machines::any_address(std::size_t node) const {
  if (local()) return "127.0.0.1";
  bool const ipv6 = hosts[node].address.find(':') != std::string::npos;
  return ipv6 ? "::" : "0.0.0.0";
}

machines read_machines(std::string const& hosts, std::string const& launch_template) {
  machines read;
  std::string usual_template;
  if (hosts == "slurm") {
    find_slurm_machines(read);
    usual_template = slurm_launch_template;
  } else if (!hosts.empty()) {
    read.hosts = read_hosts(hosts);
    usual_template = "ssh {host} {program} {arguments}";
  }
  read.launch_template = launch_template.empty() ? usual_template : launch_template;
  if (!launch_template.empty()) launch_command(launch_template, "", 0, "", {});  // is it well-formed?
  return read;
}

}  // namespace ovlp::base
