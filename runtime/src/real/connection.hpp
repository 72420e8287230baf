// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reactor.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include <ovlp/runtime/internal/synchronization.hpp>

#include "shared_ring.hpp"
#include "transport.hpp"
#include "wire.hpp"

namespace ovlp::real {

/// The other end of a socket, for messages.
std::string address_of(boost::asio::ip::tcp::socket const& socket);
/// Why nothing can be read any more, for messages.
std::string describe_loss(boost::system::error_code const& error);

/// A TCP connection to a node, that carries messages both ways, in order. When the node's process has ended, it may be
/// opened to the node's next one; so whoever sends to a node need not know whether it comes and goes.
///
/// Sending writes at once, from the calling thread, what the socket takes; the rest follows from the reactor. Large
/// buffers are written from, and read into, where they live.
///
/// Between processes of one machine small messages may go through a ring in shared memory beside it, while the other
/// process looks at that: docs/decisions/0024-small-messages-through-shared-memory.md. Each message says how many have
/// gone the other way before it, so they are handled in the order in which they were sent.
class connection : public std::enable_shared_from_this<connection> {
 public:
  using clock = std::chrono::steady_clock;
  struct handlers {
    /// A whole message. Errors: decode_error or network_error close the connection.
    std::function<void(incoming&)> message;
    /// The system has taken the whole of an object that it had not when send returned.
    std::function<void()> sent;
    /// It has been closed because it is of no use any more.
    std::function<void(std::string const& how)> lost;
  };

  /// Closed. Handlers are called from the reactor.
  connection(reactor& reactor, program const& known, handlers handle);

  /// Sends and reads over this socket from now on, and this ring, if any; `first`, if any, is sent before anything
  /// else, and not counted. It must be closed. Thread: the reactor.
  void open(boost::asio::ip::tcp::socket socket, std::unique_ptr<shared_ring> ring,
            std::unique_ptr<outgoing> first = nullptr);
  enum class fate : std::uint8_t {
    taken,    ///< by the system, or dropped
    kept,     ///< for flush(); so far this connection kept none
    waiting,  ///< for the system to take it; of an object, handlers::sent is called when it has
  };
  /// Thread: any. While it is closed, messages are dropped. One more that is kept counts as taken.
  fate send(std::unique_ptr<outgoing> message, sending when = sending::now);
  /// Sends what it has kept. Thread: any.
  void flush();
  /// No more handlers are called, unless it is opened again. Thread: the reactor.
  void close();

  bool closed() const { return closed_; }
  /// Ends the sending direction once everything is sent; the peer's answer is to close. Thread: the reactor.
  void finish_sending();
  clock::time_point last_received() const { return last_received_; }
  /// Reads what has come so far, however little. Thread: the reactor.
  void read_little() { wait_for_bytes(1); }
  /// Takes what has come by the ring. Returns whether anything has. Thread: the reactor.
  bool take_from_ring();
  /// Whether messages may come by a ring; whoever sends so learns whether they are looked at. Thread: the reactor.
  bool has_ring() const { return ring_ != nullptr; }
  void ring_sleeps() const { ring_->sleep(); }
  void ring_is_awake() const { ring_->awake(); }
  /// Says that this process lives, if it has sent nothing for `period`; also sends on what waits, for the reactor may
  /// be busy. Thread: any.
  void heartbeat(std::chrono::milliseconds period);

 private:
  void read();
  void wait_for_bytes(std::size_t bytes);
  template <class Function>
  void take_or_lose(Function take);
  void take(std::size_t bytes);
  bool take_message();
  bool take_record();
  bool take_ring_up_to(std::uint64_t messages);
  void resize_inbox(std::size_t bytes);
  std::span<std::byte> inbox() { return {inbox_.get(), inbox_bytes_}; }
  void fill_bulk();
  void bulk_received(std::size_t bytes);
  bool may_keep(outgoing const& message) const OVLP_REQUIRES(sending_);
  bool sent_by_ring(outgoing& message) OVLP_REQUIRES(sending_);
  void enqueue(std::unique_ptr<outgoing> message) OVLP_REQUIRES(sending_);
  void break_off(std::string const& why) OVLP_REQUIRES(sending_);
  std::size_t write() OVLP_REQUIRES(sending_);
  template <class Function>
  void later(Function function);
  void wait_for_room();
  void write_on();
  void report_sent(std::size_t objects);
  void lose(std::string const& how);
  /// Whether what was begun then concerns this opening no more.
  bool stale(std::size_t opening) const { return closed_ || opening != openings_; }

  reactor& reactor_;
  // Opened and closed by the reactor, which also reads; written to by who holds sending_.
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<shared_ring> ring_;
  program const& known_;
  handlers const handle_;
  std::string peer_;  ///< address, for messages
  std::atomic<bool> closed_{true};
  std::atomic<std::size_t> openings_{0};  ///< so far; tells handlers of an earlier one apart

  // Received: [taken_, filled_) of inbox_ is to be decoded; then the bulk part of a message goes where it belongs.
  std::unique_ptr<std::byte[]> inbox_;
  std::size_t inbox_bytes_ = 0;
  std::size_t taken_ = 0;
  std::size_t message_bytes_ = 0;  ///< of the message that is being taken
  std::size_t filled_ = 0;
  frame_header half_read_header_{};
  std::unique_ptr<incoming> half_read_;
  std::size_t bulk_at_ = 0;    ///< piece that is being filled
  std::size_t bulk_done_ = 0;  ///< bytes of it
  std::size_t bulk_left_ = 0;  ///< bytes of all pieces that have not come
  std::size_t awaited_ = 1;    ///< bytes that must be there before we are woken
  clock::time_point last_received_;
  std::uint64_t handled_from_ring_ = 0;
  std::uint64_t handled_from_socket_ = 0;

  mutex sending_;
  std::deque<std::unique_ptr<outgoing>> queue_ OVLP_GUARDED_BY(sending_);
  std::size_t first_done_ OVLP_GUARDED_BY(sending_) = 0;  ///< bytes of the first message that are sent
  std::size_t kept_ OVLP_GUARDED_BY(sending_) = 0;        ///< the first messages, which count as taken
  std::size_t kept_bytes_ OVLP_GUARDED_BY(sending_) = 0;  ///< of them, when the last one came
  bool waits_for_room_ OVLP_GUARDED_BY(sending_) = false;
  bool broken_ OVLP_GUARDED_BY(sending_) = true;
  bool finishing_ OVLP_GUARDED_BY(sending_) = false;
  clock::time_point last_sent_ OVLP_GUARDED_BY(sending_);       ///< by the socket, which shows that this process lives
  std::uint64_t sent_by_ring_ OVLP_GUARDED_BY(sending_) = 0;    ///< messages
  std::uint64_t sent_by_socket_ OVLP_GUARDED_BY(sending_) = 0;  ///< messages, or in the queue
  std::vector<std::span<std::byte const>> pieces_ OVLP_GUARDED_BY(sending_);
  std::vector<boost::asio::const_buffer> buffers_ OVLP_GUARDED_BY(sending_);
};

}  // namespace ovlp::real
