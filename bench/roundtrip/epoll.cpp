// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong of B bytes between two processes over loopback TCP, each asleep in epoll_wait until the other has sent:
// what the kernel charges for a sleeping exchange, and so the floor for any runtime that does not poll.
//
//   roundtrip_epoll --bytes 8 --rounds 20000 --pin [--same-core]
//
// Most of it is waking a core that has gone idle, in a virtual machine above all: the same exchange took 60 to 80 us
// between two cores of an idle machine, 33 to 50 us with compilers running on both, and 8 us within one core.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <string>

#include "../contestant.hpp"

namespace {

/// The result of a system call. Errors: std::system_error with `what` where it is negative.
template <typename Result>
Result must(Result result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

/// A connected socket, and the epoll that tells when it has something to read.
class connection {
 public:
  explicit connection(int socket) : socket_(socket), epoll_(must(epoll_create1(0), "epoll_create1")) {
    const int on = 1;
    must(setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
    epoll_event readable{};
    readable.events = EPOLLIN;
    must(epoll_ctl(epoll_, EPOLL_CTL_ADD, socket_, &readable), "epoll_ctl");
  }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { close(epoll_), close(socket_); }

  void send(const std::vector<char>& message) {
    for (std::size_t done = 0; done < message.size();)
      done += static_cast<std::size_t>(
          must(::send(socket_, message.data() + done, message.size() - done, MSG_NOSIGNAL), "send"));
  }
  void receive(std::vector<char>& message) {
    for (std::size_t done = 0; done < message.size();) {
      epoll_event event;
      must(epoll_wait(epoll_, &event, 1, -1), "epoll_wait");
      const auto n = must(recv(socket_, message.data() + done, message.size() - done, MSG_DONTWAIT), "recv");
      if (n == 0) throw std::runtime_error("roundtrip_epoll: the peer closed the connection");
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  int socket_, epoll_;
};

/// A listening socket on a free loopback port, and its address.
int listen_on_loopback(sockaddr_in& address) {
  const int listener = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  must(bind(listener, generic, size), "bind");
  must(listen(listener, 1), "listen");
  must(getsockname(listener, generic, &size), "getsockname");
  return listener;
}

/// Seconds of each of `rounds` round trips.
std::vector<double> ping_pong(connection& peer, std::vector<char>& message, int rounds) {
  std::vector<double> seconds(static_cast<std::size_t>(rounds));
  for (double& s : seconds) {
    const auto start = bench::clock::now();
    peer.send(message);
    peer.receive(message);
    s = bench::seconds_since(start);
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t bytes = 8;
  int rounds = 20'000;
  bool pin = false, same_core = false;
  CLI::App app{"Ping-pong between two processes that sleep in epoll_wait"};
  app.add_option("--bytes", bytes, "bytes each way")->check(CLI::PositiveNumber);
  app.add_option("--rounds", rounds, "round trips that are timed")->check(CLI::PositiveNumber);
  auto* const pinned = app.add_flag("--pin", pin, "process 0 on core 0, process 1 on core 1");
  app.add_flag("--same-core", same_core, "both on core 0")->needs(pinned);
  CLI11_PARSE(app, argc, argv);

  const int warm_up = rounds / 10 + 1;
  std::vector<char> message(bytes);
  bench::fill(std::span<char>(message));
  sockaddr_in address{};
  const int listener = listen_on_loopback(address);

  const pid_t child = must(fork(), "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (pin) bench::pin_to_core(same_core ? 0 : 1);
    const int socket_to_parent = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
    must(connect(socket_to_parent, reinterpret_cast<sockaddr*>(&address), sizeof address), "connect");
    connection parent(socket_to_parent);
    for (int round = 0; round < warm_up + rounds; ++round) parent.receive(message), parent.send(message);
    return 0;
  }
  if (pin) bench::pin_to_core(0);
  connection peer(must(accept(listener, nullptr, nullptr), "accept"));
  ping_pong(peer, message, warm_up);
  const auto round_trips = ping_pong(peer, message, rounds);
  must(waitpid(child, nullptr, 0), "waitpid");
  if (!bench::is_filled(std::span<const char>(message))) throw std::runtime_error("the message is not what was sent");
  bench::report(bench::round_trip_result("epoll", bytes, round_trips));
} catch (const std::exception& e) {
  std::fprintf(stderr, "roundtrip_epoll: %s\n", e.what());
  return 1;
}
