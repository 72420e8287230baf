// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include <ovlp/machine/thread.hpp>

namespace ovlp::machine {

using node_id = std::uint32_t;
class message_path;

/// What a thread of one node sends to another node. It belongs to whoever sends it, who keeps it until delivered(), and
/// may send it again then.
class message : event, task {
 public:
  /// `object`: data; `control`: a notice of the runtime's own, of no bytes, that may ride along with data.
  enum class kind_type : std::uint8_t { object, control };

  // Set before it is sent, and not changed until it is delivered.
  kind_type kind = kind_type::object;
  node_id from = 0;
  node_id to = 0;  ///< not `from`
  std::uint64_t bytes = 0;

  /// Of an object: the transport would take another one to that node now.
  virtual void accepted() {}
  /// Its last byte is over the network; the first one entered it at `started_s`.
  virtual void crossed(double /*started_s*/) {}
  /// It has arrived, and what that costs there has been done.
  virtual void delivered() = 0;

 private:
  friend class message_path;
  friend class stream_transport;
  void happen() final;
  void done(unsigned step, double work_s) final;

  double started_s_ = 0;
  message_path* path_ = nullptr;
  message* next_ = nullptr;    ///< in the transport's queue, or of those that ride along
  message* riders_ = nullptr;  ///< control messages that come with it
  message* last_rider_ = nullptr;
};

}  // namespace ovlp::machine
