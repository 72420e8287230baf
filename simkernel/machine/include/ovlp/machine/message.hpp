// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include <ovlp/machine/thread.hpp>

namespace ovlp::machine {

using node_id = std::uint32_t;
class message_path;

/// When a message was on its way, as far as others have not held it up: those of a pair follow one another down the
/// wire, and the latency of one passes while another is before it.
struct crossing {
  double sent_s;     ///< its sender began with what it costs there
  double started_s;  ///< its first byte entered the network
  double latency_s;  ///< from then on until its bandwidth phase; 0: it had waited as long as that, or it is not known
};

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
  /// Since when it has waited for its turn, behind others to its node; none: it has not.
  std::optional<double> waiting_since_s;

  /// Of an object: the transport would take another one to that node now.
  virtual void accepted() {}
  /// Its last byte is over the network.
  virtual void crossed(crossing const& /*when*/) {}
  /// It has arrived, and what that costs there has been done.
  virtual void delivered() = 0;

 private:
  friend class message_path;
  friend class stream_transport;
  void happen() final;
  void done(unsigned step, double work_s) final;

  double sent_s_ = 0;
  double handed_over_s_ = 0;  ///< the network could have taken it then
  double started_s_ = 0;      ///< not before that
  message_path* path_ = nullptr;
  message* next_ = nullptr;    ///< in the transport's queue, or of those that ride along
  message* riders_ = nullptr;  ///< control messages that come with it
  message* last_rider_ = nullptr;
};

}  // namespace ovlp::machine
