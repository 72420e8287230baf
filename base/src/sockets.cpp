// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/sockets.hpp>

#include <chrono>
#include <utility>  // before Asio: GCC 12 wants it

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <ovlp/base/error.hpp>

namespace ovlp::base {

std::string ask_local_socket(std::string const& path, std::string const& line) {
  constexpr std::chrono::seconds patience{10};
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path))
    throw io_error("'" + path + "': expected the name of a socket, of at most " +
                   std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
  boost::asio::local::stream_protocol::iostream stream;
  stream.expires_after(patience);
  stream.connect(boost::asio::local::stream_protocol::endpoint(path));
  if (!stream) throw io_error("'" + path + "': no run listens there: " + stream.error().message());
  stream << line << '\n' << std::flush;
  std::string reply;
  if (!std::getline(stream, reply)) throw io_error("'" + path + "': no answer: " + stream.error().message());
  return reply;
}

int connect_to(std::string const& address, std::uint16_t port) try {
  namespace ip = boost::asio::ip;
  boost::asio::io_context context;
  ip::tcp::socket made(context);
  boost::asio::connect(made, ip::tcp::resolver(context).resolve(address, std::to_string(port)));
  made.set_option(ip::tcp::no_delay(true));
  return made.release();
} catch (boost::system::system_error const& wrong) {
  throw io_error("no connection to " + address + ", port " + std::to_string(port) + ": " + wrong.code().message());
}

}  // namespace ovlp::base
