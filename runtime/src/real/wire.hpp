// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <ovlp/flowgraph/reader.hpp>
#include <ovlp/flowgraph/writer.hpp>
#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/fact.hpp>
#include <ovlp/runtime/internal/program.hpp>
#include <ovlp/runtime/internal/statistics.hpp>

#include "shared_ring.hpp"

namespace ovlp::real {

// What processes tell one another beside objects and the thread managers' control messages.

/// First on every connection: who connects, and that it belongs to this run.
struct hello {
  std::string secret;
  node_id node;
  std::uint64_t fingerprint;  ///< of the facts in which all must agree
  std::string host;           ///< where this node accepts others
  std::uint16_t port;
  shared_ring::place ring{};  ///< for small messages, if they may go so
};
/// The connection may be used.
struct accepted {};
struct peer_address {
  node_id node;
  std::string host;
  std::uint16_t port;
};
/// From node 0 to a node that it launched: whom to connect to.
struct welcome {
  std::vector<peer_address> peers;
  double hello_received_s;  ///< on node 0's clock
  double sent_s;
};
/// To node 0: connected to all of them.
struct ready {
  double capacity;  ///< of the node, in cores
};
struct heartbeat {};
/// To node 0: the run cannot go on.
struct failure_report {
  failure what;
};
struct peer_lost {
  node_id node;
  std::string how;
  bool silent;
};
/// From node 0: the process is to end.
struct stop {
  std::int32_t status;
};
/// Node 0 asks whether a node still does anything; what it sent and received tells what is in flight.
struct probe {
  std::uint64_t wave;
};
struct probe_answer {
  std::uint64_t wave;
  bool passive;
  std::uint64_t sent;
  std::uint64_t received;
};
/// To all, the last message of a process that ends in order. Node 0 learns what it did, so that the sums stay right.
struct goodbye {
  std::uint64_t sent;
  std::uint64_t received;
  std::map<std::uint64_t, call_statistics> figures;
};
struct waiting_request {};
struct waiting_answer {
  bool goes_on;  ///< something had been held back, and is let in now
  std::vector<std::string> list;
};
struct statistics_request {
  std::uint64_t call;
};
struct statistics_answer {
  call_statistics figures;
};
/// Node 0 asks a process that says hello with another fingerprint in what it differs.
struct facts_request {};
struct facts_answer {
  facts all;
};

using service = std::variant<hello, accepted, welcome, ready, heartbeat, failure_report, peer_lost, stop, probe,
                             probe_answer, goodbye, waiting_request, waiting_answer, statistics_request,
                             statistics_answer, facts_request, facts_answer>;

/// In what processes must agree before they can tell each other anything: "ovlp 0.1.0, little endian, 8-byte pointers,
/// messages 0123456789abcdef".
std::string protocol();

enum class frame_kind : std::uint32_t { object = 1, control = 2, process = 3 };

/// Before each message: what follows and how much of it.
struct frame_header {
  std::uint32_t magic;
  frame_kind kind;
  std::uint64_t inline_bytes;
  std::uint64_t bulk_bytes;
  std::uint64_t others_before = 0;  ///< messages sent before it the other way: by the ring, or by the socket
};
constexpr std::uint32_t frame_magic = 0x706c766f;  // "ovlp"

/// The largest parts that a peer may announce.
struct frame_limits {
  std::uint64_t inline_bytes;
  std::uint64_t bulk_bytes;
};
constexpr frame_limits stranger_limits{4096, 0};
constexpr frame_limits peer_limits{std::uint64_t{1} << 42, std::uint64_t{1} << 42};

/// Errors: decode_error that says what is wrong with it.
void check(frame_header const& header, frame_limits limits);

/// A message as bytes, and whatever must live until they are sent.
class outgoing {
 public:
  explicit outgoing(envelope_ptr object);
  explicit outgoing(control message);
  explicit outgoing(service message);
  outgoing(outgoing const&) = delete;
  outgoing& operator=(outgoing const&) = delete;

  /// Header, inline part, bulk part; without the first `skip` bytes.
  void add_to(std::vector<std::span<std::byte const>>& list, std::size_t skip) const;
  std::size_t bytes() const { return sizeof header_ + header_.inline_bytes + header_.bulk_bytes; }
  bool is_object() const { return header_.kind == frame_kind::object; }
  std::size_t bulk_bytes() const { return header_.bulk_bytes; }
  /// So many messages have gone the other way before it.
  void follows(std::uint64_t others) { header_.others_before = others; }

 private:
  void finish(frame_kind kind);

  frame_header header_{};
  std::variant<envelope_ptr, control, service> message_;  // large elements are sent from where they are
  writer body_;
  std::vector<std::span<std::byte const>> segments_;
};

/// A message that has come in; the elements of its large buffers follow and go to `bulk`.
struct incoming {
  std::variant<envelope_ptr, control, service> message;
  std::vector<std::span<std::byte>> bulk;
};

/// Reads the inline part. Errors: decode_error.
incoming decode(frame_header const& header, std::span<std::byte const> inline_part, program const& known);

}  // namespace ovlp::real
