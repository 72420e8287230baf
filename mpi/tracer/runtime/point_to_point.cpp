// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that send and receive, as the program's: each is MPI's own, and is written to the trace.
#include <vector>

#include "entries.hpp"

namespace ovlp::mpi::tracer {
namespace {

// The message that a call names; behind these arguments may stand others.
template <protocol How>
constexpr auto sent = [](void const* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm in, auto...) {
  return message_to{{buffer, count, type}, to, tag, in, How};
};
constexpr auto received = [](void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm in, auto...) {
  return message_from{{buffer, count, type}, from, tag, in};
};

/// Written before MPI sends, so that what a receiver answers is later.
template <protocol How>
constexpr auto sends_now =
    [](rank_trace& trace, call_site const& at, auto... arguments) { trace.send(at, sent<How>(arguments...)); };
constexpr auto receives_now = [](rank_trace& trace, call_site const& at, auto... arguments) {
  trace.receive(at, received(arguments...), *from_end<0>(arguments...));
};
template <auto Message>
constexpr auto starts = [](rank_trace& trace, call_site const& at, auto... arguments) {
  trace.start(at, Message(arguments...), *from_end<0>(arguments...));
};
template <auto Message>
constexpr auto prepares = [](rank_trace& trace, call_site const&, auto... arguments) {
  trace.prepare(Message(arguments...), *from_end<0>(arguments...));
};

constexpr auto starts_exchange = [](rank_trace& trace, call_site const& at, void const* given, int given_count,
                                    MPI_Datatype given_type, int to, int given_tag, void* buffer, int count,
                                    MPI_Datatype type, int from, int tag, MPI_Comm in, auto...) {
  trace.start_exchange(at, sent<protocol::by_size>(given, given_count, given_type, to, given_tag, in),
                       received(buffer, count, type, from, tag, in));
};
constexpr auto starts_replacement = [](rank_trace& trace, call_site const& at, void* buffer, int count,
                                       MPI_Datatype type, int to, int given_tag, int from, int tag, MPI_Comm in,
                                       auto...) {
  trace.start_exchange(at, sent<protocol::by_size>(buffer, count, type, to, given_tag, in),
                       received(buffer, count, type, from, tag, in));
};
constexpr auto starts_matched = [](rank_trace& trace, call_site const& at, void* buffer, int count, MPI_Datatype type,
                                   MPI_Message const* which, auto...) {
  trace.start_matched(at, *which, {buffer, count, type}, MPI_REQUEST_NULL);
};
constexpr auto ends_now = [](rank_trace& trace, call_site const& at, auto... arguments) {
  trace.ended(at, MPI_REQUEST_NULL, *from_end<0>(arguments...));
};
constexpr auto matches = [](rank_trace& trace, call_site const& at, int, int, MPI_Comm in, MPI_Message const* which,
                            MPI_Status const* status) { trace.matched(at, in, *which, *status); };
constexpr auto may_match = [](rank_trace& trace, call_site const& at, int, int, MPI_Comm in, int const* flag,
                              MPI_Message const* which, MPI_Status const* status) {
  if (*flag != 0) trace.matched(at, in, *which, *status);
};

constexpr auto starts_prepared = [](rank_trace& trace, call_site const& at, MPI_Request const* request) {
  trace.start_prepared(at, *request);
};
constexpr auto start_all_prepared = [](rank_trace& trace, call_site const& at, int count, MPI_Request const* requests) {
  for (int i = 0; i < count; ++i) trace.start_prepared(at, requests[i]);
};
constexpr auto frees_request = [](rank_trace& trace, call_site const&, MPI_Request const* request) {
  trace.forget(*request);
};

/// A call that may end requests: which there are, and their statuses.
class awaited {
 public:
  awaited(void const* from, int count, MPI_Request const* requests, MPI_Status* statuses)
      : here_(from), before_(requests, requests + count), own_(before_.size() + 1), statuses_(statuses) {
    if (statuses == MPI_STATUSES_IGNORE) statuses_ = own_.data();
  }
  MPI_Status* statuses() { return statuses_; }

  // When MPI has done it. They return `result`.

  int all_ended(int result) const {
    for (std::size_t i = 0; i < before_.size(); ++i) ended(i, i);
    return result;
  }
  /// `count` of them, whose places stand there; MPI_UNDEFINED: none.
  int some_ended(int result, int count, int const* places) const {
    if (count == MPI_UNDEFINED) return result;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      if (places[i] != MPI_UNDEFINED) ended(static_cast<std::size_t>(places[i]), i);
    return result;
  }

 private:
  void ended(std::size_t request, std::size_t status) const {
    if (auto* const trace = here_.trace()) trace->ended(here_.site(), before_[request], statuses_[status]);
  }

  call const here_;
  std::vector<MPI_Request> const before_;
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_;
};

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)
using ovlp::mpi::protocol;

#define OVLP_SEND(blocking, immediate, prepared, how) \
  OVLP_BEFORE(blocking, sends_now<how>)               \
  OVLP_AFTER(immediate, starts<sent<how>>)            \
  OVLP_AFTER(prepared, prepares<sent<how>>)
OVLP_SEND(Send, Isend, Send_init, protocol::by_size)
OVLP_SEND(Ssend, Issend, Ssend_init, protocol::rendezvous)
OVLP_SEND(Bsend, Ibsend, Bsend_init, protocol::eager)
OVLP_SEND(Rsend, Irsend, Rsend_init, protocol::by_size)

OVLP_AFTER(Recv, receives_now)
OVLP_AFTER(Irecv, starts<received>)
OVLP_AFTER(Recv_init, prepares<received>)
OVLP_AROUND(Sendrecv, starts_exchange, ends_now)
OVLP_AROUND(Sendrecv_replace, starts_replacement, ends_now)
OVLP_AFTER(Mprobe, matches)
OVLP_AFTER(Improbe, may_match)
OVLP_AROUND(Mrecv, starts_matched, ends_now)
OVLP_BEFORE(Probe, nothing)
OVLP_BEFORE(Iprobe, nothing)

OVLP_ENTRY int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  call const here(__builtin_return_address(0));
  MPI_Message which = *message;  // NOLINT(misc-const-correctness): a pointer, or a number
  int const result = PMPI_Imrecv(buffer, count, type, message, request);
  if (auto* const trace = here.trace()) trace->start_matched(here.site(), which, {buffer, count, type}, *request);
  return result;
}

OVLP_BEFORE(Start, starts_prepared)
OVLP_BEFORE(Startall, start_all_prepared)
OVLP_BEFORE(Request_free, frees_request)

OVLP_ENTRY int MPI_Wait(MPI_Request* request, MPI_Status* wanted) {
  awaited one(__builtin_return_address(0), 1, request, wanted);
  return one.all_ended(PMPI_Wait(request, one.statuses()));
}

OVLP_ENTRY int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  awaited all(__builtin_return_address(0), count, requests, statuses);
  return all.all_ended(PMPI_Waitall(count, requests, all.statuses()));
}

OVLP_ENTRY int MPI_Waitany(int count, MPI_Request requests[], int* place, MPI_Status* wanted) {
  awaited all(__builtin_return_address(0), count, requests, wanted);
  int const result = PMPI_Waitany(count, requests, place, all.statuses());
  return all.some_ended(result, 1, place);
}

OVLP_ENTRY int MPI_Waitsome(int count, MPI_Request requests[], int* ended, int places[], MPI_Status statuses[]) {
  awaited all(__builtin_return_address(0), count, requests, statuses);
  int const result = PMPI_Waitsome(count, requests, ended, places, all.statuses());
  return all.some_ended(result, *ended, places);
}

OVLP_ENTRY int MPI_Test(MPI_Request* request, int* flag, MPI_Status* wanted) {
  awaited one(__builtin_return_address(0), 1, request, wanted);
  int const result = PMPI_Test(request, flag, one.statuses());
  return *flag != 0 ? one.all_ended(result) : result;
}

OVLP_ENTRY int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  awaited all(__builtin_return_address(0), count, requests, statuses);
  int const result = PMPI_Testall(count, requests, flag, all.statuses());
  return *flag != 0 ? all.all_ended(result) : result;
}

OVLP_ENTRY int MPI_Testany(int count, MPI_Request requests[], int* place, int* flag, MPI_Status* wanted) {
  awaited all(__builtin_return_address(0), count, requests, wanted);
  int const result = PMPI_Testany(count, requests, place, flag, all.statuses());
  return *flag != 0 ? all.some_ended(result, 1, place) : result;
}

OVLP_ENTRY int MPI_Testsome(int count, MPI_Request requests[], int* ended, int places[], MPI_Status statuses[]) {
  awaited all(__builtin_return_address(0), count, requests, statuses);
  int const result = PMPI_Testsome(count, requests, ended, places, all.statuses());
  return all.some_ended(result, *ended, places);
}
