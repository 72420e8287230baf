// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include <algorithm>
#include <cstring>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>

namespace ovlp::real {

constexpr std::size_t peer_inbox_bytes = 64 * 1024;
constexpr std::size_t most_kept_inbox_bytes = 16 * peer_inbox_bytes;
// Between processes of one machine the bytes under way should fit the cache: docs/performance.md. Between machines
// the kernel knows better.
constexpr int loopback_send_buffer_bytes = 384 * 1024;
constexpr std::size_t most_buffers = 64;  // of one system call, as Asio allows
/// Messages that are kept to be sent together: as many as one system call takes, and no more bytes than are worth it.
constexpr std::size_t most_kept = most_buffers / 2 - 1, most_kept_bytes = 16 * 1024;
/// Of a large object so many bytes, or all that are left, must be there before its receiver is woken (SO_RCVLOWAT).
/// Why: docs/lab/testbed.md.
constexpr std::size_t receive_low_water_bytes = 128 * 1024;
/// Messages by a ring, before the other ones are looked at.
constexpr std::size_t most_from_ring = 256;

std::string address_of(boost::asio::ip::tcp::socket const& socket) {
  boost::system::error_code error;
  auto const endpoint = socket.remote_endpoint(error);
  if (error) return "unknown address";
  base::text_writer text;
  text << endpoint;
  return text.str();
}

std::string describe_loss(boost::system::error_code const& error) {
  return error == boost::asio::error::eof ? "the connection was closed" : error.message();
}

connection::connection(reactor& reactor, program const& known, handlers handle)
    : reactor_(reactor), socket_(reactor.context()), known_(known), handle_(std::move(handle)) {}

void connection::open(boost::asio::ip::tcp::socket socket, std::unique_ptr<shared_ring> ring,
                      std::unique_ptr<outgoing> first) {
  boost::system::error_code ignored;
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
  auto const other = socket.remote_endpoint(ignored);
  if (!ignored && other.address().is_loopback()) {
    socket.set_option(boost::asio::socket_base::send_buffer_size(loopback_send_buffer_bytes), ignored);
  }
  peer_ = address_of(socket);
  resize_inbox(peer_inbox_bytes);
  bulk_at_ = bulk_done_ = bulk_left_ = 0;
  awaited_ = 1;
  last_received_ = clock::now();
  handled_from_ring_ = handled_from_socket_ = 0;
  {
    scoped_lock const lock(sending_);
    socket_ = std::move(socket);
    ring_ = std::move(ring);
    sent_by_ring_ = sent_by_socket_ = 0;
    first_done_ = 0;
    waits_for_room_ = broken_ = finishing_ = false;
    last_sent_ = clock::now();
    ++openings_;
    closed_ = false;
    if (first) queue_.push_back(std::move(first));
    write();
  }
  read();
}

/// It keeps no memory to speak of.
void connection::close() {
  closed_ = true;
  scoped_lock const lock(sending_);
  broken_ = true;
  boost::system::error_code ignored;
  socket_.close(ignored);
  ring_.reset();
  queue_.clear();
  kept_ = kept_bytes_ = 0;
  pieces_ = {};
  buffers_ = {};
  half_read_.reset();
  inbox_.reset();
  inbox_bytes_ = taken_ = filled_ = 0;
}

void connection::lose(std::string const& how) {
  if (closed_) return;
  close();
  handle_.lost(how);
}

// Receiving

/// To be woken for each piece of a large object that a slow network brings costs more than to take the object.
void connection::wait_for_bytes(std::size_t bytes) {
  if (bytes == awaited_) return;
  boost::system::error_code ignored;  // then we are woken more often
  socket_.set_option(boost::asio::socket_base::receive_low_watermark(static_cast<int>(bytes)), ignored);
  awaited_ = bytes;
}

void connection::read() {
  wait_for_bytes(std::clamp<std::size_t>(bulk_left_, 1, receive_low_water_bytes));
  std::vector<boost::asio::mutable_buffer> room;
  if (half_read_) {
    for (std::size_t i = bulk_at_; i < half_read_->bulk.size() && room.size() + 1 < most_buffers; ++i) {
      auto const piece = i == bulk_at_ ? half_read_->bulk[i].subspan(bulk_done_) : half_read_->bulk[i];
      room.emplace_back(piece.data(), piece.size());
    }
    if (bulk_at_ + room.size() == half_read_->bulk.size()) room.emplace_back(inbox_.get(), inbox_bytes_);
  } else {
    room.emplace_back(inbox_.get() + filled_, inbox_bytes_ - filled_);
  }
  socket_.async_read_some(room, [self = shared_from_this(), opening = openings_.load()](boost::system::error_code error,
                                                                                        std::size_t bytes) {
    if (self->stale(opening)) return;
    if (error) {
      while (self->take_from_ring() && !self->stale(opening)) {  // what has been sent before the end
      }
      if (!self->stale(opening)) self->lose(describe_loss(error));
      return;
    }
    self->last_received_ = clock::now();
    if (self->ring_) self->ring_->hide();  // it has been mapped before the answer, or never will
    self->take_or_lose([&] { self->take(bytes); });
    if (!self->stale(opening)) self->take_from_ring();  // what has waited for that
    if (!self->stale(opening)) self->read();
  });
}

/// What cannot be taken loses the node.
template <class Function>
void connection::take_or_lose(Function take) {
  try {
    take();
  } catch (ovlp::error const& wrong) {
    lose(std::string("sent ") + wrong.what());
  } catch (std::bad_alloc const&) {
    throw network_error("there is no memory for a message of " + std::to_string(message_bytes_) + " bytes from " +
                        peer_);  // that ends the run
  } catch (std::exception const& wrong) {
    lose(std::string("what it sent cannot be taken: ") + wrong.what());
  }
}

void connection::take(std::size_t bytes) {
  if (half_read_) {
    while (bytes > 0 && bulk_at_ < half_read_->bulk.size()) {
      std::size_t const now = std::min(bytes, half_read_->bulk[bulk_at_].size() - bulk_done_);
      bytes -= now;
      bulk_received(now);
    }
  }
  filled_ += bytes;
  while (!closed_ && take_message()) {
  }
  if (taken_ != filled_ || closed_) return;
  taken_ = filled_ = 0;
  if (inbox_bytes_ > most_kept_inbox_bytes) resize_inbox(peer_inbox_bytes);
}

/// What has come is kept.
void connection::resize_inbox(std::size_t bytes) {
  auto larger = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::copy(inbox_.get() + taken_, inbox_.get() + filled_, larger.get());
  filled_ -= std::exchange(taken_, 0);
  inbox_ = std::move(larger);
  inbox_bytes_ = bytes;
}

bool connection::take_message() {
  if (half_read_) {
    fill_bulk();
    if (bulk_at_ < half_read_->bulk.size()) return false;
    std::unique_ptr<incoming> const whole = std::move(half_read_);
    if (!take_ring_up_to(half_read_header_.others_before)) return false;
    ++handled_from_socket_;
    handle_.message(*whole);
    return true;
  }
  frame_header header{};
  std::size_t const there = filled_ - taken_;
  if (there >= sizeof header) {
    std::memcpy(&header, inbox_.get() + taken_, sizeof header);
    check(header, peer_limits);
    std::size_t const needed = sizeof header + header.inline_bytes;
    message_bytes_ = needed + header.bulk_bytes;
    if (there >= needed) {
      auto const body = std::span<std::byte const>(inbox()).subspan(taken_ + sizeof header, header.inline_bytes);
      auto message = std::make_unique<incoming>(decode(header, body, known_));
      taken_ += needed;
      half_read_header_ = header;
      half_read_ = std::move(message);
      bulk_at_ = bulk_done_ = bulk_left_ = 0;
      for (auto const& piece : half_read_->bulk) bulk_left_ += piece.size();
      return true;
    }
    if (inbox_bytes_ < needed) resize_inbox(needed);
  }
  // Part of a message: it moves to the front, so that the rest fits behind it.
  if (taken_ > 0) {
    std::memmove(inbox_.get(), inbox_.get() + taken_, there);
    taken_ = 0;
    filled_ = there;
  }
  return false;
}

void connection::fill_bulk() {
  while (bulk_at_ < half_read_->bulk.size() && taken_ < filled_) {
    std::span<std::byte> const piece = half_read_->bulk[bulk_at_].subspan(bulk_done_);
    std::size_t const now = std::min(piece.size(), filled_ - taken_);
    std::memcpy(piece.data(), inbox_.get() + taken_, now);
    taken_ += now;
    bulk_received(now);
  }
}

/// Of the piece that is being filled, at most its rest.
void connection::bulk_received(std::size_t bytes) {
  bulk_left_ -= bytes;
  bulk_done_ += bytes;
  if (bulk_done_ < half_read_->bulk[bulk_at_].size()) return;
  ++bulk_at_;
  bulk_done_ = 0;
}

// Receiving by the ring

/// The other process may write on and on: what has come when it ends is left for the next look.
bool connection::take_from_ring() {
  if (!ring_) return false;
  std::size_t taken = 0;
  take_or_lose([&, opening = openings_.load()] {
    while (taken < most_from_ring && !stale(opening) && take_record()) ++taken;
  });
  return taken > 0 || !ring_;
}

/// Handles the next one, if it is there and its turn has come.
bool connection::take_record() {
  auto const record = ring_->front();
  if (!record) return false;
  frame_header header{};
  if (record->size() < sizeof header) throw decode_error("a message that is too short");
  std::memcpy(&header, record->data(), sizeof header);
  if (header.others_before > handled_from_socket_) return false;
  if (header.others_before < handled_from_socket_) throw decode_error("a message that comes too late");
  check(header, {shared_ring::largest_record, shared_ring::largest_record});
  if (record->size() != sizeof header + header.inline_bytes + header.bulk_bytes)
    throw decode_error("a message of another size than it says");
  message_bytes_ = record->size();
  incoming message = decode(header, record->subspan(sizeof header, header.inline_bytes), known_);
  auto bulk = record->subspan(sizeof header + header.inline_bytes);
  for (auto const& piece : message.bulk) {
    std::memcpy(piece.data(), bulk.data(), piece.size());
    bulk = bulk.subspan(piece.size());
  }
  ring_->pop();
  ++handled_from_ring_;
  handle_.message(message);
  return true;
}

/// So many in all, which are there: they have been written before the message of the socket that says so. Returns
/// whether this opening goes on.
bool connection::take_ring_up_to(std::uint64_t messages) {
  auto const opening = openings_.load();
  while (handled_from_ring_ < messages) {
    if (!ring_ || !take_record()) throw decode_error("a message before another one that it follows");
    if (stale(opening)) return false;
  }
  if (handled_from_ring_ > messages) throw decode_error("a message that comes too late");
  return true;
}

// Sending

connection::fate connection::send(std::unique_ptr<outgoing> message, sending when) {
  scoped_lock const lock(sending_);
  if (broken_ || sent_by_ring(*message)) return fate::taken;
  bool const keep = when == sending::with_others && may_keep(*message);
  std::size_t const bytes = message->bytes();
  enqueue(std::move(message));
  if (keep) {
    kept_bytes_ += bytes;
    return ++kept_ == 1 ? fate::kept : fate::taken;
  }
  if (!waits_for_room_) write();
  return queue_.empty() ? fate::taken : fate::waiting;
}

/// Where others wait for room in the system's buffer, it takes its turn behind them.
bool connection::may_keep(outgoing const& message) const {
  return kept_ == queue_.size() && !waits_for_room_ && kept_ < most_kept && message.bulk_bytes() == 0 &&
         kept_bytes_ + message.bytes() <= most_kept_bytes;
}

void connection::enqueue(std::unique_ptr<outgoing> message) {
  message->follows(sent_by_ring_);
  ++sent_by_socket_;
  queue_.push_back(std::move(message));
}

/// While nobody looks at the ring, the socket wakes the other process.
bool connection::sent_by_ring(outgoing& message) {
  if (!ring_ || !ring_->mapped() || finishing_ || !queue_.empty() || message.bytes() > shared_ring::largest_record ||
      ring_->reader_sleeps())
    return false;
  message.follows(sent_by_socket_);
  pieces_.clear();
  message.add_to(pieces_, 0);
  try {
    if (!ring_->write(pieces_)) return false;
  } catch (network_error const& wrong) {
    break_off(std::string("has made ") + wrong.what());
    return true;
  }
  ++sent_by_ring_;
  if (ring_->reader_sleeps()) {
    enqueue(std::make_unique<outgoing>(service(real::heartbeat{})));
    write();
  }
  return true;
}

void connection::flush() {
  scoped_lock const lock(sending_);
  if (kept_ > 0 && !waits_for_room_ && !broken_) write();
}

/// The reactor calls the function, unless that concerns this opening no more.
template <class Function>
void connection::later(Function function) {
  boost::asio::post(reactor_.context(), [self = shared_from_this(), opening = openings_.load(), function] {
    if (!self->stale(opening)) function(*self);
  });
}

/// Returns how many objects the system has taken to their ends.
std::size_t connection::write() {
  std::size_t objects = 0;
  boost::system::error_code error;
  while (!queue_.empty()) {
    pieces_.clear();
    for (auto const& message : queue_) {
      message->add_to(pieces_, &message == &queue_.front() ? first_done_ : 0);
      if (pieces_.size() >= most_buffers) break;
    }
    buffers_.clear();
    for (auto const& piece : pieces_) {
      if (buffers_.size() == most_buffers) break;
      buffers_.emplace_back(piece.data(), piece.size());
    }
    std::size_t written = socket_.write_some(buffers_, error);
    if (error) break;
    last_sent_ = clock::now();
    for (first_done_ += written; !queue_.empty() && first_done_ >= queue_.front()->bytes(); queue_.pop_front()) {
      first_done_ -= queue_.front()->bytes();
      if (kept_ > 0) {
        --kept_;
      } else if (queue_.front()->is_object()) {
        ++objects;
      }
    }
  }
  if (kept_ == 0) kept_bytes_ = 0;
  if (!error) {
    boost::system::error_code ignored;
    if (finishing_) socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    return objects;
  }
  if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
    if (std::exchange(waits_for_room_, true)) return objects;
    later([](connection& self) { self.wait_for_room(); });
  } else {
    break_off(error.message());
  }
  return objects;
}

void connection::break_off(std::string const& why) {
  broken_ = true;
  later([why](connection& self) { self.lose(why); });
}

void connection::wait_for_room() {
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_write,
                     [self = shared_from_this(), opening = openings_.load()](boost::system::error_code) {
                       if (!self->stale(opening)) self->write_on();
                     });
}

void connection::write_on() {
  std::size_t objects = 0;
  {
    scoped_lock const lock(sending_);
    waits_for_room_ = false;
    objects = write();
  }
  report_sent(objects);
}

void connection::report_sent(std::size_t objects) {
  for (; objects > 0 && !closed_; --objects) handle_.sent();
}

void connection::heartbeat(std::chrono::milliseconds period) {
  scoped_lock const lock(sending_);
  if (broken_ || finishing_) return;
  if (queue_.empty()) {
    if (clock::now() - last_sent_ < period) return;
    enqueue(std::make_unique<outgoing>(service(real::heartbeat{})));
  }
  std::size_t const objects = write();
  if (objects > 0) later([objects](connection& self) { self.report_sent(objects); });
}

void connection::finish_sending() {
  scoped_lock const lock(sending_);
  finishing_ = true;
  if (!waits_for_room_ && !broken_) write();
}

}  // namespace ovlp::real
