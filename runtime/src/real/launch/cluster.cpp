// SPDX-License-Identifier: BSD-3-Clause
#include "cluster.hpp"

#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

#include "slurm.hpp"

namespace ovlp::real {

std::string cluster::listen(node_id node) const {
  if (local()) return "127.0.0.1";
  bool const ipv6 = hosts[node].address.find(':') != std::string::npos;
  return ipv6 ? "::" : "0.0.0.0";
}

cluster read_cluster(std::string const& hosts, std::string const& launch_template) {
  cluster read;
  read.launch_template = launch_template;
  std::string usual_template;
  if (hosts == "slurm") {
    slurm_job job = read_slurm_job();
    read.hosts = std::move(job.hosts);
    read.slurm_job = std::move(job.id);
    usual_template = slurm_launch_template;
  } else if (!hosts.empty()) {
    read.hosts = read_hosts(hosts);
    usual_template = "ssh {host} {program} {arguments}";
  }
  if (launch_template.empty()) {
    read.launch_template = usual_template;
  } else {
    launch_command(launch_template, "", 0, "", {});  // is it well-formed?
  }
  return read;
}

std::vector<std::string> launch_command(std::string const& launch_template, std::string const& host, node_id node,
                                        std::string const& program, std::vector<std::string> const& arguments) {
  base::text_reader words(launch_template);
  std::vector<std::string> command;
  bool remote_shell = false;
  for (std::string word; words >> word;) {
    if (command.empty()) {
      std::string const name = word.substr(word.find_last_of('/') + 1);
      remote_shell = name == "ssh" || name == "rsh";
    }
    if (word == "{arguments}") {
      for (std::string const& a : arguments) command.push_back(remote_shell ? base::shell_word(a) : a);
      continue;
    }
    for (std::size_t open = word.find('{'); open != std::string::npos; open = word.find('{', open)) {
      std::size_t const close = word.find('}', open);
      bool const closed = close != std::string::npos;
      std::string const name = closed ? word.substr(open + 1, close - open - 1) : "";
      std::string value;
      if (name == "host") {
        value = host;
      } else if (name == "node") {
        value = std::to_string(node);
      } else if (name == "program") {
        value = remote_shell ? base::shell_word(program) : program;
      } else {
        throw config_error("launch command '" + launch_template +
                           "': expected {host}, {node}, {program} or {arguments}, got '" +
                           word.substr(open, closed ? close - open + 1 : close) + "'");
      }
      word.replace(open, close - open + 1, value);
      open += value.size();
    }
    command.push_back(word);
  }
  if (command.empty()) throw config_error("the launch command is empty");
  return command;
}

}  // namespace ovlp::real
