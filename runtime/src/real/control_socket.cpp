// SPDX-License-Identifier: BSD-3-Clause
#include "control_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>  // before Asio: GCC 12 wants it

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <ovlp/base/error.hpp>

namespace ovlp::real {
namespace {

using boost::asio::local::stream_protocol;

constexpr std::chrono::seconds asker_patience{1};

/// Which file a name stands for.
using file_id = std::pair<dev_t, ino_t>;
std::optional<file_id> file_of(std::string const& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return std::nullopt;
  return file_id{there.st_dev, there.st_ino};
}

bool is_of_this_user(stream_protocol::socket& peer) {
  ucred who{};
  socklen_t bytes = sizeof who;
  return ::getsockopt(peer.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.uid == ::geteuid();
}

}  // namespace

struct control_socket::implementation {
  struct asker {
    asker(stream_protocol::socket accepted, boost::asio::io_context& context)
        : socket(std::move(accepted)), timer(context) {}
    stream_protocol::socket socket;
    boost::asio::steady_timer timer;
    boost::asio::streambuf line{longest_line_bytes};
    std::string reply;
  };

  implementation(std::string where, std::function<std::string(std::string const&)> replies)
      : path(std::move(where)), answer(std::move(replies)), acceptor(context) {
    listen();
    accept();
    thread = std::thread([this] { context.run(); });
  }
  ~implementation() {
    context.stop();
    thread.join();
    std::error_code ignored;
    if (auto const there = file_of(path); there && there == own) std::filesystem::remove(path, ignored);
  }

  [[noreturn]] void refuse(std::string const& why) const { throw config_error("--control: '" + path + "': " + why); }

  void listen() {
    if (path.size() >= sizeof(sockaddr_un::sun_path))
      refuse("expected a name of at most " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
    std::error_code error;
    auto const there = std::filesystem::symlink_status(path, error);
    if (std::filesystem::exists(there)) {
      if (!std::filesystem::is_socket(there)) refuse("expected no file of that name, or a socket that a run has left");
      stream_protocol::socket other(context);
      boost::system::error_code refused;
      other.connect(path, refused);
      if (!refused) refuse("another run listens there");
      std::filesystem::remove(path, error);
    }
    boost::system::error_code wrong;
    acceptor.open(stream_protocol(), wrong);
    if (!wrong) ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    mode_t const before = ::umask(S_IRWXG | S_IRWXO);
    if (!wrong) acceptor.bind(path, wrong);
    ::umask(before);
    if (!wrong) acceptor.listen(boost::asio::socket_base::max_listen_connections, wrong);
    if (wrong) refuse(wrong.message());
    own = file_of(path);
  }

  void accept() {
    acceptor.async_accept([this](boost::system::error_code error, stream_protocol::socket socket) {
      if (error) return wait_and_accept();
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
      serve(std::make_shared<asker>(std::move(socket), context));
    });
  }
  /// The system gives us no connection, for the time being.
  void wait_and_accept() {
    auto const later = std::make_shared<boost::asio::steady_timer>(context, asker_patience);
    later->async_wait([this, later](boost::system::error_code) { accept(); });
  }

  void serve(std::shared_ptr<asker> const& from) {
    if (!is_of_this_user(from->socket)) return accept();
    from->timer.expires_after(asker_patience);
    from->timer.async_wait([from](boost::system::error_code stopped) {
      boost::system::error_code ignored;
      if (!stopped) from->socket.close(ignored);
    });
    boost::asio::async_read_until(from->socket, from->line, '\n',
                                  [this, from](boost::system::error_code error, std::size_t) {
                                    if (error) return end(*from);
                                    std::string line;
                                    std::istream text(&from->line);
                                    std::getline(text, line);
                                    from->reply = answer(line) + "\n";
                                    reply(from);
                                  });
  }
  void reply(std::shared_ptr<asker> const& to) {
    boost::asio::async_write(to->socket, boost::asio::buffer(to->reply),
                             [this, to](boost::system::error_code, std::size_t) { end(*to); });
  }
  void end(asker& with) {
    with.timer.cancel();
    boost::system::error_code ignored;
    with.socket.close(ignored);
    accept();
  }

  std::string const path;
  std::optional<file_id> own;  ///< that this run has made
  std::function<std::string(std::string const&)> const answer;
  boost::asio::io_context context;
  stream_protocol::acceptor acceptor;
  std::thread thread;
};

control_socket::control_socket(std::string path, std::function<std::string(std::string const&)> answer)
    : implementation_(std::make_unique<implementation>(std::move(path), std::move(answer))) {}
control_socket::~control_socket() = default;

}  // namespace ovlp::real
