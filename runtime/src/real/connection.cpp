// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::real {
namespace {

constexpr std::size_t inbox_bytes = 64 * 1024;
// Between processes of one machine the bytes under way should fit the cache: docs/performance.md. Between machines
// the kernel knows better.
constexpr int loopback_send_buffer_bytes = 384 * 1024;
constexpr std::size_t most_buffers = 64;  // of one system call, as Asio allows
using low_watermark = boost::asio::socket_base::receive_low_watermark;

std::string address_of(boost::asio::ip::tcp::socket const& socket) {
  boost::system::error_code error;
  auto const endpoint = socket.remote_endpoint(error);
  if (error) return "unknown address";
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

}  // namespace

connection::connection(reactor& reactor, boost::asio::ip::tcp::socket socket, program const& known, handlers handle)
    : reactor_(reactor),
      socket_(std::move(socket)),
      known_(known),
      handle_(std::move(handle)),
      peer_(address_of(socket_)),
      inbox_(inbox_bytes),
      last_received_(clock::now()),
      last_sent_(clock::now()) {
  boost::system::error_code ignored;
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  auto const other = socket_.remote_endpoint(ignored);
  if (!ignored && other.address().is_loopback()) {
    socket_.set_option(boost::asio::socket_base::send_buffer_size(loopback_send_buffer_bytes), ignored);
  }
}

void connection::start() { read(); }

void connection::close() {
  closed_ = true;
  std::scoped_lock const lock(sending_);
  broken_ = true;
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void connection::lose(std::string const& how) {
  if (closed_) return;
  close();
  handle_.lost(*this, how);
}

// Receiving

/// To be woken for each piece of a large object that a slow network brings costs more than to take the object.
void connection::wait_for_bytes(std::size_t bytes) {
  if (bytes == awaited_) return;
  boost::system::error_code ignored;  // then we are woken more often
  socket_.set_option(low_watermark(static_cast<int>(bytes)), ignored);
  awaited_ = bytes;
}

void connection::read() {
  wait_for_bytes(std::clamp<std::size_t>(bulk_left_, 1, most_awaited_bytes));
  std::vector<boost::asio::mutable_buffer> room;
  if (half_read_) {
    for (std::size_t i = bulk_at_; i < half_read_->bulk.size() && room.size() + 1 < most_buffers; ++i) {
      auto const piece = i == bulk_at_ ? half_read_->bulk[i].subspan(bulk_done_) : half_read_->bulk[i];
      room.emplace_back(piece.data(), piece.size());
    }
    if (bulk_at_ + room.size() == half_read_->bulk.size()) room.emplace_back(inbox_.data(), inbox_.size());
  } else {
    room.emplace_back(inbox_.data() + filled_, inbox_.size() - filled_);
  }
  socket_.async_read_some(room, [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
    if (self->closed_) return;
    if (error) {
      self->lose(error == boost::asio::error::eof ? "the connection was closed" : error.message());
      return;
    }
    self->last_received_ = clock::now();
    try {
      self->take(bytes);
    } catch (ovlp::error const& wrong) {
      self->lose(std::string("sent ") + wrong.what());
      return;
    } catch (std::exception const& wrong) {  // no memory, most likely
      self->lose(std::string("what it sent cannot be taken: ") + wrong.what());
      return;
    }
    if (!self->closed_) self->read();
  });
}

void connection::take(std::size_t bytes) {
  if (half_read_) {
    while (bytes > 0 && bulk_at_ < half_read_->bulk.size()) {
      std::size_t const now = std::min(bytes, half_read_->bulk[bulk_at_].size() - bulk_done_);
      bytes -= now;
      bulk_came(now);
    }
  }
  filled_ += bytes;
  while (!closed_ && take_message()) {
  }
  if (taken_ == filled_) taken_ = filled_ = 0;
}

bool connection::take_message() {
  if (half_read_) {
    fill_bulk();
    if (bulk_at_ < half_read_->bulk.size()) return false;
    std::unique_ptr<incoming> const whole = std::move(half_read_);
    handle_.message(*this, *whole);
    return true;
  }
  frame_header header{};
  std::size_t const there = filled_ - taken_;
  if (there >= sizeof header) {
    std::memcpy(&header, inbox_.data() + taken_, sizeof header);
    check(header, limits_);
    std::size_t const needed = sizeof header + header.inline_bytes;
    if (there >= needed) {
      auto const body = std::span<std::byte const>(inbox_).subspan(taken_ + sizeof header, header.inline_bytes);
      auto message = std::make_unique<incoming>(decode(header, body, known_));
      taken_ += needed;
      half_read_ = std::move(message);
      bulk_at_ = bulk_done_ = bulk_left_ = 0;
      for (auto const& piece : half_read_->bulk) bulk_left_ += piece.size();
      return true;
    }
    if (inbox_.size() < needed) inbox_.resize(needed);
  }
  // Part of a message: it moves to the front, so that the rest fits behind it.
  if (taken_ > 0) {
    std::memmove(inbox_.data(), inbox_.data() + taken_, there);
    taken_ = 0;
    filled_ = there;
  }
  return false;
}

void connection::fill_bulk() {
  while (bulk_at_ < half_read_->bulk.size() && taken_ < filled_) {
    std::span<std::byte> const piece = half_read_->bulk[bulk_at_].subspan(bulk_done_);
    std::size_t const now = std::min(piece.size(), filled_ - taken_);
    std::memcpy(piece.data(), inbox_.data() + taken_, now);
    taken_ += now;
    bulk_came(now);
  }
}

/// Of the piece that is being filled, at most its rest.
void connection::bulk_came(std::size_t bytes) {
  bulk_left_ -= bytes;
  bulk_done_ += bytes;
  if (bulk_done_ < half_read_->bulk[bulk_at_].size()) return;
  ++bulk_at_;
  bulk_done_ = 0;
}

// Sending

bool connection::send(std::unique_ptr<outgoing> message) {
  std::scoped_lock const lock(sending_);
  if (broken_) return true;
  queue_.push_back(std::move(message));
  if (!waits_for_room_) write();
  return queue_.empty();
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
      if (queue_.front()->is_object()) ++objects;
    }
  }
  if (!error) {
    boost::system::error_code ignored;
    if (finishing_) socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    return objects;
  }
  if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
    waits_for_room_ = true;
    boost::asio::post(reactor_.context(), [self = shared_from_this()] {
      if (self->closed_) return;
      self->socket_.async_wait(boost::asio::ip::tcp::socket::wait_write, [self](boost::system::error_code) {
        if (self->closed_) return;
        std::size_t taken = 0;
        {
          std::scoped_lock const lock(self->sending_);
          self->waits_for_room_ = false;
          taken = self->write();
        }
        for (; taken > 0; --taken) self->handle_.sent(*self);
      });
    });
  } else {
    broken_ = true;
    boost::asio::post(reactor_.context(), [self = shared_from_this(), text = error.message()] { self->lose(text); });
  }
  return objects;
}

void connection::finish_sending() {
  std::scoped_lock const lock(sending_);
  finishing_ = true;
  if (!waits_for_room_ && !broken_) write();
}

connection::clock::time_point connection::last_sent() {
  std::scoped_lock const lock(sending_);
  return last_sent_;
}

}  // namespace ovlp::real
