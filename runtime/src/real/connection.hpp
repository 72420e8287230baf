// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include <ovlp/runtime/internal/mutex.hpp>

#include "wire.hpp"

namespace ovlp::real {

/// One TCP connection that carries messages both ways, in order.
///
/// Sending writes at once, from the calling thread, what the socket takes; the rest follows from the reactor. Large
/// buffers are written from, and read into, where they live.
class connection : public std::enable_shared_from_this<connection> {
 public:
  using clock = std::chrono::steady_clock;
  struct handlers {
    /// A whole message. Errors: decode_error or network_error close the connection.
    std::function<void(connection&, incoming&)> message;
    /// The system has taken the whole of an object that it had not when send returned. Thread: the reactor.
    std::function<void(connection&)> sent;
    /// The connection is of no use any more; called once, from the reactor.
    std::function<void(connection&, std::string const& how)> lost;
  };

  connection(reactor& reactor, boost::asio::ip::tcp::socket socket, program const& known, handlers handle);
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;
  ~connection() = default;

  /// Begins to read. Thread: the reactor.
  void start();
  /// Thread: any. After a loss, messages are dropped. Returns whether the system has taken the whole message; else, if
  /// it is an object, handlers::sent is called when it has.
  bool send(std::unique_ptr<outgoing> message);
  /// No more handlers are called. Thread: the reactor, or any before start.
  void close();

  bool closed() const { return closed_; }
  /// Messages may have any size from now on. Thread: the reactor, or any before start.
  void trust();
  /// Ends the sending direction once everything is sent; the peer's answer is to close. Thread: the reactor.
  void finish_sending();
  std::string const& peer() const { return peer_; }  ///< address, for messages
  clock::time_point last_received() const { return last_received_; }
  /// Reads what has come so far, however little. Thread: the reactor.
  void read_little() { wait_for_bytes(1); }
  /// Says that this process lives, if it has said nothing for `period`; also sends on what waits, for the reactor may
  /// be busy. Thread: any.
  void beat(std::chrono::milliseconds period);
  /// For so long we did not listen. Thread: the reactor.
  void excuse(clock::duration missed) { last_received_ = std::min(last_received_ + missed, clock::now()); }

 private:
  void read();
  void wait_for_bytes(std::size_t bytes);
  void take(std::size_t bytes);
  bool take_message();
  void resize_inbox(std::size_t bytes);
  std::span<std::byte> inbox() { return {inbox_.get(), inbox_bytes_}; }
  void fill_bulk();
  void bulk_came(std::size_t bytes);
  std::size_t write() OVLP_REQUIRES(sending_);
  void write_on();
  void tell_sent(std::size_t objects);
  void lose(std::string const& how);

  reactor& reactor_;
  boost::asio::ip::tcp::socket socket_;
  program const& known_;
  handlers handle_;
  std::string peer_;
  frame_limits limits_ = stranger_limits;
  std::atomic<bool> closed_{false};

  // Received: [taken_, filled_) of inbox_ is to be decoded; then the bulk part of a message goes where it belongs.
  std::unique_ptr<std::byte[]> inbox_;
  std::size_t inbox_bytes_ = 0;
  std::size_t taken_ = 0;
  std::size_t message_bytes_ = 0;  ///< of the message that is being taken
  std::size_t filled_ = 0;
  std::unique_ptr<incoming> half_read_;
  std::size_t bulk_at_ = 0;    ///< piece that is being filled
  std::size_t bulk_done_ = 0;  ///< bytes of it
  std::size_t bulk_left_ = 0;  ///< bytes of all pieces that have not come
  std::size_t awaited_ = 1;    ///< bytes that must be there before we are woken
  clock::time_point last_received_;

  mutex sending_;
  std::deque<std::unique_ptr<outgoing>> queue_ OVLP_GUARDED_BY(sending_);
  std::size_t first_done_ OVLP_GUARDED_BY(sending_) = 0;  ///< bytes of the first message that are sent
  bool waits_for_room_ OVLP_GUARDED_BY(sending_) = false;
  bool broken_ OVLP_GUARDED_BY(sending_) = false;
  bool finishing_ OVLP_GUARDED_BY(sending_) = false;
  clock::time_point last_sent_ OVLP_GUARDED_BY(sending_);
  std::vector<std::span<std::byte const>> pieces_ OVLP_GUARDED_BY(sending_);
  std::vector<boost::asio::const_buffer> buffers_ OVLP_GUARDED_BY(sending_);
};

}  // namespace ovlp::real
