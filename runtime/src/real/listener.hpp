// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "output.hpp"
#include "wire.hpp"

namespace ovlp::real {

/// Accepts TCP connections and finds out which of them belong to the run.
///
/// A process shows the run's secret before anything else. Until then it is a stranger: few of them are kept, and not
/// for long, and they can send one small frame. Those that are dropped are reported on standard error. Thread: the
/// reactor.
class listener {
 public:
  static constexpr std::size_t most_strangers = 32;  ///< beside the nodes that are to come

  struct handlers {
    /// How many processes of the run are to come.
    std::function<std::size_t()> expected;
    /// A process that knows the secret. Takes the socket, or returns why it shall be dropped.
    std::function<std::optional<std::string>(hello const&, boost::asio::ip::tcp::socket&)> introduced;
    /// The system gives us no connection, for the time being.
    std::function<void(std::string const& why)> cannot_accept;
  };

  listener(reactor& reactor, program const& known, std::string secret, std::shared_ptr<output> errors, handlers handle);
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;
  ~listener() = default;

  /// `where`: ADDRESS[:FIRST-LAST]. Errors: config_error, network_error.
  void listen(std::string const& where);
  bool listening() const { return acceptor_.is_open(); }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  /// Drops strangers that take too long, and tries again to accept. To be called some times a second.
  void tick();
  void close();

 private:
  using clock = std::chrono::steady_clock;
  struct stranger;

  void accept();
  void read(std::shared_ptr<stranger> const& from, boost::asio::mutable_buffer into,
            void (listener::*then)(std::shared_ptr<stranger> const&));
  void read_hello(std::shared_ptr<stranger> const& from);
  void handle_hello(std::shared_ptr<stranger> const& who);
  void drop(stranger& which, std::string const& why);
  bool drop_oldest();
  void forget(stranger& which);

  program const& known_;
  std::string const secret_;
  std::shared_ptr<output> const errors_;
  handlers const handle_;
  boost::asio::ip::tcp::acceptor acceptor_;
  bool accepting_ = false;
  std::vector<std::shared_ptr<stranger>> strangers_;  ///< in order of arrival
  std::size_t drops_reported_ = 0;                    ///< since the last tick
  std::size_t drops_unreported_ = 0;
};

}  // namespace ovlp::real
