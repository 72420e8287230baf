// SPDX-License-Identifier: BSD-3-Clause
// Opens and closes a connection with each other node: ovlp-prime NODE ADDRESS..., on all nodes at once.
//
// A route's locked congestion window binds a connection only if the kernel has metrics of an earlier one to the same
// address.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr unsigned short port = 7;

tcp::socket connect_to(asio::io_context& io, tcp::endpoint const& other) {
  boost::system::error_code error;
  for (int tries = 500; tries > 0; --tries) {  // it may not listen yet
    tcp::socket made(io);
    made.connect(other, error);
    if (!error) return made;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw boost::system::system_error(error, other.address().to_string());
}

void prime_routes(std::size_t self, std::vector<tcp::endpoint> const& nodes) {
  asio::io_context io;
  tcp::acceptor acceptor(io, nodes[self]);
  std::vector<tcp::socket> all;
  for (std::size_t n = self + 1; n < nodes.size(); ++n) all.push_back(connect_to(io, nodes[n]));
  for (std::size_t n = 0; n < self; ++n) all.push_back(acceptor.accept());
  for (tcp::socket& one : all) one.shutdown(tcp::socket::shutdown_send);
  for (tcp::socket& one : all) {
    char nothing = 0;
    boost::system::error_code ended;
    asio::read(one, asio::buffer(&nothing, 1), ended);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  ::alarm(30);  // a node that never answers
  std::vector<tcp::endpoint> nodes;
  for (int i = 2; i < argc; ++i) nodes.emplace_back(asio::ip::make_address(argv[i]), port);
  std::size_t const self = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : nodes.size();
  if (self >= nodes.size()) {
    std::fprintf(stderr, "ovlp-prime: expected the number of a node and the addresses of all\n");
    return 2;
  }
  prime_routes(self, nodes);
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "ovlp-prime: %s\n", error.what());
  return 1;
}
