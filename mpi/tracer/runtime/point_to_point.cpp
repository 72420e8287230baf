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

// Of calls that may end requests, what MPI says has ended: by the requests that there were before.
using requests = std::vector<MPI_Request>;

constexpr auto all_end = [](rank_trace& trace, call_site const& at, requests const& before, auto... arguments) {
  for (std::size_t i = 0; i < before.size(); ++i) trace.ended(at, before[i], from_end<0>(arguments...)[i]);
};
constexpr auto all_may_end = [](rank_trace& trace, call_site const& at, requests const& before, auto... arguments) {
  if (*from_end<1>(arguments...) != 0) all_end(trace, at, before, arguments...);
};
/// `count` of them, whose places stand there; MPI_UNDEFINED: none.
void end_some(rank_trace& trace, call_site const& at, requests const& before, int count, int const* places,
              MPI_Status const* statuses) {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i)
    if (places[i] != MPI_UNDEFINED) trace.ended(at, before[static_cast<std::size_t>(places[i])], statuses[i]);
}
constexpr auto some_end = [](rank_trace& trace, call_site const& at, requests const& before, auto... arguments) {
  end_some(trace, at, before, *from_end<2>(arguments...), from_end<1>(arguments...), from_end<0>(arguments...));
};
constexpr auto one_ends = [](rank_trace& trace, call_site const& at, requests const& before, auto... arguments) {
  end_some(trace, at, before, 1, from_end<1>(arguments...), from_end<0>(arguments...));
};
constexpr auto one_may_end = [](rank_trace& trace, call_site const& at, requests const& before, auto... arguments) {
  if (*from_end<1>(arguments...) != 0)
    end_some(trace, at, before, 1, from_end<2>(arguments...), from_end<0>(arguments...));
};

requests requests_of(int count, MPI_Request const* all, auto...) { return {all, all + count}; }
requests requests_of(MPI_Request const* one, auto...) { return {*one}; }

/// What stands for such a call, as `entry` does for others.
template <auto Mpi, auto Ended>
struct ending;
template <class... Parameters, int (*Mpi)(Parameters...), auto Ended>
struct ending<Mpi, Ended> {
  static int call(Parameters... arguments) {
    tracer::call const here(__builtin_return_address(0));
    requests const before = requests_of(arguments...);
    std::vector<MPI_Status> own(before.size() + 1);
    int const result = Mpi(needed(arguments, own.front())...);
    if (auto* const trace = here.trace()) Ended(*trace, here.site(), before, needed(arguments, own.front())...);
    return result;
  }
};

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)
using ovlp::mpi::protocol;

#define OVLP_SEND(blocking, immediate, prepared, how) \
  OVLP_BEFORE(blocking, sends_now<how>)               \
  OVLP_AFTER(immediate, starts<sent<(how)>>)          \
  OVLP_AFTER(prepared, prepares<sent<(how)>>)
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

#define OVLP_ENDS(name, ended) OVLP_STANDS_FOR(MPI_##name, ending<PMPI_##name, ended>::call)
OVLP_ENDS(Wait, all_end)
OVLP_ENDS(Waitall, all_end)
OVLP_ENDS(Waitany, one_ends)
OVLP_ENDS(Waitsome, some_end)
OVLP_ENDS(Test, all_may_end)
OVLP_ENDS(Testall, all_may_end)
OVLP_ENDS(Testany, one_may_end)
OVLP_ENDS(Testsome, some_end)
