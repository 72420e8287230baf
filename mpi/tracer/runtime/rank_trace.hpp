// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <mpi.h>

#include "communicators.hpp"
#include "datatypes.hpp"
#include "messages.hpp"
#include "raw_file.hpp"

namespace ovlp::mpi::tracer {

/// A call of MPI by the program: when it began, and where it stands.
struct call_site {
  raw::moment when;
  void const* from;
};

/// Memory that a call names.
struct data {
  void const* buffer;
  int count;
  MPI_Datatype type;
};

inline std::uint64_t bytes_of(data const& what) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(what.type, &bytes);
  return static_cast<std::uint64_t>(bytes) * static_cast<std::uint64_t>(what.count);
}

struct message_to {
  data what;
  int rank, tag;
  MPI_Comm in;
  protocol how;
};
struct message_from {
  data what;
  int rank, tag;
  MPI_Comm in;
};
using message = std::variant<message_to, message_from>;

/// A collective call, but for its communicator: what this rank gives and gets.
struct exchange {
  operation what;
  int root = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::vector<std::uint64_t> counts = {};  ///< bytes for each rank, where they differ
  std::vector<data> results = {};          ///< what is overwritten
};

/// A message of a collective call between neighbours. Messages of one tag between two of them are matched in order.
struct neighbour {
  int rank, tag;
};
struct part_of_exchange {
  data what;
  neighbour other;
  bool sends;
};

/// The trace of this rank, from MPI_Init to MPI_Finalize: what each call means is written to its file.
/// Thread: one at a time, as `call` ensures.
class rank_trace {
 public:
  rank_trace(std::string const& file, raw::moment const& when);

  // Blocking calls. Messages to and from MPI_PROC_NULL are none.
  void send(call_site const& at, message_to const& what);
  void receive(call_site const& at, message_from const& what, MPI_Status const& status);
  /// Both at once: as if a non-blocking receive, of no request, stood before the send, and was waited for behind it.
  void start_exchange(call_site const& at, message_to const& to, message_from const& from);
  /// As if it were not, and were waited for when MPI has done it.
  void meet(call_site const& at, exchange const& what, MPI_Comm in) { put_collective(at, what, in, none); }
  void meet(call_site const& at, std::vector<part_of_exchange> const& parts, MPI_Comm in) {
    start(at, parts, in, MPI_REQUEST_NULL);
  }

  // Non-blocking ones, when MPI has given the request.
  void start(call_site const& at, message_to const& what, MPI_Request request);
  void start(call_site const& at, message_from const& what, MPI_Request request);
  void start(call_site const& at, exchange const& what, MPI_Comm in, MPI_Request request);
  /// A collective call between neighbours: a message with each, all of them at once.
  void start(call_site const& at, std::vector<part_of_exchange> const& parts, MPI_Comm in, MPI_Request request);
  /// A message that has been matched (MPI_Mprobe), and is received later.
  void matched(call_site const& at, MPI_Comm in, MPI_Message which, MPI_Status const& status);
  void start_matched(call_site const& at, MPI_Message which, data const& what, MPI_Request request);
  /// MPI says that it has ended. Requests that are not active are none.
  void ended(call_site const& at, MPI_Request request, MPI_Status const& status);

  // Persistent requests.
  void prepare(message const& what, MPI_Request request) { prepared_.insert_or_assign(request, what); }
  void start_prepared(call_site const& at, MPI_Request request);
  /// It will not be waited for.
  void forget(MPI_Request request);

  /// The program has called something that moves data and is not traced.
  void left_out(std::string const& call) { ++left_out_[call]; }
  void end(raw::moment const& when);

  communicators& known_communicators() { return communicators_; }
  datatypes& known_types() { return types_; }

 private:
  struct under_way {
    std::uint32_t number;
    std::uint64_t message, posted;  // of a receive; by the clock of accesses
    bool receives;
    blocks memory;
    std::shared_ptr<communicator> in;
    void const* from;
    std::vector<under_way> parts = {};  ///< in its place
  };

  void put_send(call_site const& at, message_to const& what, std::uint32_t request);
  std::uint64_t put_receive(call_site const& at, message_from const& what, std::uint64_t bytes, int source, int tag,
                            std::uint32_t request);
  bool put_collective(call_site const& at, exchange const& what, MPI_Comm in, std::uint32_t request);
  void put_end(call_site const& at, under_way const& its, MPI_Status const* status);
  /// Whether it is no message, or one that the trace cannot have.
  bool is_none(int rank, MPI_Comm in);
  blocks memory_of(data const& what);

  raw_file file_;
  communicators communicators_;
  datatypes types_;
  messages messages_;
  std::multimap<MPI_Request, under_way> under_way_;  // MPICH gives one handle to all sends that have ended at once
  std::map<MPI_Request, message> prepared_;
  std::map<MPI_Message, under_way> matched_;
  std::uint64_t next_message_ = 0;
  std::uint32_t next_request_ = 0;
  std::map<std::string, std::uint64_t> left_out_;
};

}  // namespace ovlp::mpi::tracer
