// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <utility>
#include <vector>

#include "message_path.hpp"
#include "read_parameters.hpp"
#include "transports.hpp"

namespace ovlp::machine {

/// A connection from each node to each other one, as TCP's: objects cross the network one after another, in order, and
/// control messages come with what was sent before them. Who sends copies, and goes on when it has. The transport takes
/// the next object when the last one is copied and the connection's buffers, of both ends together, have room.
/// Source: measured; docs/model.md, "Messages".
class stream_transport final : public transport {
 public:
  stream_transport(double buffer_bytes, message_path& path) : buffer_bytes_(buffer_bytes), path_(path) {}

  bool sender_copies() const override { return true; }

  void take(message& m) override {
    connection& c = connection_of(m);
    if (m.kind == message::kind_type::object) {
      append(c, m);
    } else if (c.last != nullptr) {
      ride_along(*c.last, m);
    } else {
      path_.cross(m);
    }
  }
  void crossed(message& m) override {
    if (m.kind == message::kind_type::control) return;
    connection& c = connection_of(m);
    c.held_bytes -= static_cast<double>(m.bytes);
    c.first = m.next_;
    if (c.first == nullptr) c.last = nullptr;
    if (c.first != nullptr) path_.cross(*c.first);
    if (c.held_bytes > buffer_bytes_) return;
    for (message* waiting : std::exchange(c.without_room, {})) waiting->accepted();
  }

 private:
  struct connection {
    message* first = nullptr;  ///< the object that crosses the network; others wait behind it
    message* last = nullptr;
    double held_bytes = 0;               ///< of all of them
    std::vector<message*> without_room;  ///< are copied, but there is no room for another one
  };
  connection& connection_of(message const& m) { return connections_[{m.from, m.to}]; }

  void append(connection& c, message& m) {
    c.held_bytes += static_cast<double>(m.bytes);
    message* const before = std::exchange(c.last, &m);
    if (before != nullptr) {
      before->next_ = &m;
    } else {
      c.first = &m;
      path_.cross(m);
    }
    if (c.held_bytes <= buffer_bytes_) {
      m.accepted();
    } else {
      c.without_room.push_back(&m);
    }
  }
  static void ride_along(message& with, message& rider) {
    (with.riders_ == nullptr ? with.riders_ : with.last_rider_->next_) = &rider;
    with.last_rider_ = &rider;
  }

  double const buffer_bytes_;
  message_path& path_;
  std::map<std::pair<node_id, node_id>, connection> connections_;
};

transport_maker read_stream_transport(base::json_object& from) {
  double const buffer_bytes = number(from, "buffer_bytes");
  return [buffer_bytes](message_path& path) { return std::make_unique<stream_transport>(buffer_bytes, path); };
}

}  // namespace ovlp::machine
