// SPDX-License-Identifier: BSD-3-Clause
// What a cluster's server has on each of its machines while it runs (server/host_watches.hpp): ovlp-host SERVER [HOST]
// It talks in lines on its standard input and output. First it says "ready", or who uses that host. Then for each line
// "look MARK" or "kill MARK" how many processes of a job with this mark it has found there, or found and killed. When
// its input ends, which it does when the server has ended in any way, it kills what is left of all its jobs.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

#include "server/job_processes.hpp"

namespace {

/// Answers are read one by one.
void say(std::string const& line) {
  if (std::fputs((line + "\n").c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw ovlp::io_error("the server does not listen any more");
}

struct socket_name {
  ::sockaddr_un address{};
  ::socklen_t size = 0;
};

/// In the abstract name space, where a name is free as soon as its process has ended, and which each network namespace
/// has for itself.
socket_name name_of(std::string const& host) {
  std::string text = "ovlp-host/" + host;
  socket_name made;
  made.address.sun_family = AF_UNIX;
  std::size_t const most = sizeof made.address.sun_path - 1;
  if (text.size() > most) text = "ovlp-host/" + std::to_string(std::hash<std::string>()(host));
  std::memcpy(made.address.sun_path + 1, text.data(), text.size());
  made.size = static_cast<::socklen_t>(offsetof(::sockaddr_un, sun_path) + 1 + text.size());
  return made;
}

/// Holds the host for the rest of this process's life. What is returned is empty, or says who holds it.
std::string take(std::string const& host) {
  socket_name const name = name_of(host);
  auto const* const address = reinterpret_cast<::sockaddr const*>(&name.address);
  int const held = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (held >= 0 && ::bind(held, address, name.size) == 0 && ::listen(held, 1) == 0) return "";
  if (held < 0 || errno != EADDRINUSE)
    throw ovlp::io_error("cannot hold this host: " + std::string(std::strerror(errno)));
  ::ucred who{};
  ::socklen_t size = sizeof who;
  bool const known = ::connect(held, address, name.size) == 0 &&
                     ::getsockopt(held, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid > 0;
  return known ? "process " + std::to_string(who.pid) : "a process";
}

std::size_t kill_all(std::string const& mark) {
  std::vector<pid_t> const found = ovlp::cluster::processes_with(mark);
  for (pid_t const id : found) ::kill(id, SIGKILL);
  return found.size();
}

void serve(std::string const& server) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> const words = ovlp::base::words_of(line);
    if (words.size() != 2 || !words[1].starts_with(server) || (words[0] != "look" && words[0] != "kill"))
      throw ovlp::config_error("expected look or kill and a mark of this server, got " + ovlp::base::quoted(line));
    std::size_t const found = words[0] == "kill" ? kill_all(words[1]) : ovlp::cluster::processes_with(words[1]).size();
    say(std::to_string(found));
  }
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2 || count > 3)
    throw ovlp::config_error("expected names of a server and of a host; ovlp cluster starts this");
  std::string const server = words[1];
  if (std::string const who = count == 3 ? take(words[2]) : ""; !who.empty()) {
    say("taken by " + who);
    return 1;
  }
  ::signal(SIGPIPE, SIG_IGN);
  std::string failure;
  try {
    say("ready");
    serve(server);
  } catch (std::exception const& failed) {
    failure = failed.what();
  }
  for (int tries = 0; tries < 500 && kill_all(server) > 0; ++tries) ::usleep(10'000);
  if (!failure.empty()) throw ovlp::error(failure);
  return 0;
} catch (std::exception const& failed) {
  std::fprintf(stderr, "ovlp-host: %s\n", failed.what());
  return 1;
}
