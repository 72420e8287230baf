// SPDX-License-Identifier: BSD-3-Clause
#include "listener.hpp"

#include <fcntl.h>

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/secret.hpp>

#include "connection.hpp"
#include "listen_address.hpp"

namespace ovlp::real {
namespace {

using boost::asio::ip::tcp;

constexpr std::chrono::seconds stranger_patience{5};
constexpr std::size_t most_drops_reported = 16;  // in a tick

}  // namespace

struct listener::stranger {
  explicit stranger(tcp::socket accepted) : socket(std::move(accepted)), address(address_of(socket)) {}

  tcp::socket socket;
  std::string address;
  clock::time_point since = clock::now();
  frame_header header{};
  std::vector<std::byte> body;
  bool gone = false;
};

listener::listener(reactor& reactor, program const& known, std::string secret, std::shared_ptr<output> errors,
                   handlers handle)
    : known_(known),
      secret_(std::move(secret)),
      errors_(std::move(errors)),
      handle_(std::move(handle)),
      acceptor_(reactor.context()) {}

void listener::listen(std::string const& where) {
  listen_address const wanted = listen_address::parse(where);
  boost::system::error_code error;
  tcp::resolver resolver(acceptor_.get_executor());
  auto const found = resolver.resolve(wanted.address, "0", tcp::resolver::passive, error);
  if (error || found.empty())
    throw config_error("--listen: expected an address of this machine, got '" + wanted.address + "'");
  tcp::endpoint endpoint = found.begin()->endpoint();
  for (std::uint32_t port = wanted.first_port; port <= wanted.last_port; ++port) {
    endpoint.port(static_cast<std::uint16_t>(port));
    acceptor_.open(endpoint.protocol(), error);
    if (error) break;
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (!error) break;
    acceptor_.close();
  }
  if (error) throw network_error("cannot listen on '" + where + "': " + error.message());
  accept();
}

void listener::accept() {
  accepting_ = true;
  acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    if (!acceptor_.is_open() || error == boost::asio::error::operation_aborted) return;
    if (!error) {
      if (strangers_.size() >= most_strangers + handle_.expected()) drop_oldest();
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);  // processes that we launch must not hold it open
      auto const& from = strangers_.emplace_back(std::make_shared<stranger>(std::move(socket)));
      read(from, boost::asio::buffer(&from->header, sizeof from->header), &listener::read_hello);
    } else if (error != boost::asio::error::connection_aborted && !drop_oldest()) {
      accepting_ = false;  // until the next tick
      handle_.cannot_accept(error.message());
      return;
    }
    accept();
  });
}

void listener::tick() {
  while (!strangers_.empty() && clock::now() - strangers_.front()->since > stranger_patience) {
    drop(*strangers_.front(), "it did not introduce itself in time");
  }
  drops_reported_ = 0;
  if (std::size_t const more = std::exchange(drops_unreported_, 0))
    errors_->print("ovlp: dropped " + std::to_string(more) + " more connections");
  if (listening() && !accepting_) accept();
}

void listener::close() {
  if (acceptor_.is_open()) acceptor_.close();
  while (!strangers_.empty()) forget(*strangers_.front());
}

// Strangers. Exactly as much is read as belongs to their hello: what follows is for whoever takes the socket.

void listener::read(std::shared_ptr<stranger> const& from, boost::asio::mutable_buffer into,
                    void (listener::*then)(std::shared_ptr<stranger> const&)) {
  boost::asio::async_read(from->socket, into, [this, from, then](boost::system::error_code error, std::size_t) {
    if (from->gone) return;
    if (error) {
      drop(*from, describe_loss(error));
    } else {
      (this->*then)(from);
    }
  });
}

void listener::read_hello(std::shared_ptr<stranger> const& from) {
  try {
    check(from->header, stranger_limits);
  } catch (decode_error const& wrong) {
    drop(*from, std::string("sent ") + wrong.what());
    return;
  }
  from->body.resize(from->header.inline_bytes);
  read(from, boost::asio::buffer(from->body), &listener::handle_hello);
}

void listener::handle_hello(std::shared_ptr<stranger> const& who) {
  stranger& from = *who;
  incoming whole;
  try {
    whole = decode(from.header, from.body, known_);
  } catch (ovlp::error const& wrong) {
    drop(from, std::string("sent ") + wrong.what());
    return;
  }
  auto const* const message = std::get_if<service>(&whole.message);
  auto const* const first = message == nullptr ? nullptr : std::get_if<hello>(message);
  if (first == nullptr) {
    drop(from, "it did not introduce itself");
  } else if (!base::equal_secrets(first->secret, secret_)) {
    drop(from, "it does not know the secret of this run");
  } else if (auto const why = handle_.introduced(*first, from.socket)) {
    drop(from, *why);
  } else {
    forget(from);
  }
}

void listener::drop(stranger& which, std::string const& why) {
  if (drops_reported_ < most_drops_reported) {
    ++drops_reported_;
    errors_->print("ovlp: dropped a connection from " + which.address + ": " + why);
  } else {
    ++drops_unreported_;
  }
  forget(which);
}

bool listener::drop_oldest() {
  if (strangers_.empty()) return false;
  drop(*strangers_.front(), "it did not introduce itself before too many others came");
  return true;
}

/// Closes its socket, unless somebody has taken it.
void listener::forget(stranger& which) {
  which.gone = true;
  boost::system::error_code ignored;
  which.socket.close(ignored);
  std::erase_if(strangers_, [&which](auto const& s) { return s.get() == &which; });
}

}  // namespace ovlp::real
