// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that send and receive, as the program's: each is MPI's own, and is written to the trace.
#include <vector>

#include "entries.hpp"

namespace ovlp::mpi::tracer {
namespace {

// Sends in their three forms. They are written before MPI sends, so that what a receiver answers is later.
template <protocol How>
constexpr auto sends_now = [](rank_trace& trace, call_site const& at, void const* buffer, int count, MPI_Datatype type,
                              int to, int tag, MPI_Comm in) {
  trace.send(at, {{buffer, count, type}, to, tag, in, How});
};
template <protocol How>
constexpr auto starts_send = [](rank_trace& trace, call_site const& at, void const* buffer, int count,
                                MPI_Datatype type, int to, int tag, MPI_Comm in, MPI_Request* request) {
  trace.start(at, message_to{{buffer, count, type}, to, tag, in, How}, *request);
};
template <protocol How>
constexpr auto prepares_send = [](rank_trace& trace, call_site const&, void const* buffer, int count, MPI_Datatype type,
                                  int to, int tag, MPI_Comm in, MPI_Request* request) {
  trace.prepare(message_to{{buffer, count, type}, to, tag, in, How}, *request);
};
constexpr auto starts_receive = [](rank_trace& trace, call_site const& at, void* buffer, int count, MPI_Datatype type,
                                   int from, int tag, MPI_Comm in, MPI_Request* request) {
  trace.start(at, message_from{{buffer, count, type}, from, tag, in}, *request);
};
constexpr auto prepares_receive = [](rank_trace& trace, call_site const&, void* buffer, int count, MPI_Datatype type,
                                     int from, int tag, MPI_Comm in, MPI_Request* request) {
  trace.prepare(message_from{{buffer, count, type}, from, tag, in}, *request);
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

/// Where MPI is to write a status, which is needed also when the program wants none.
class status_of {
 public:
  explicit status_of(MPI_Status* wanted) : at_(wanted == MPI_STATUS_IGNORE ? &own_ : wanted) {}
  MPI_Status* at() { return at_; }
  MPI_Status const& operator*() const { return *at_; }

 private:
  MPI_Status own_{};
  MPI_Status* at_;
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
  OVLP_AFTER(immediate, starts_send<how>)             \
  OVLP_AFTER(prepared, prepares_send<how>)
OVLP_SEND(Send, Isend, Send_init, protocol::by_size)
OVLP_SEND(Ssend, Issend, Ssend_init, protocol::rendezvous)
OVLP_SEND(Bsend, Ibsend, Bsend_init, protocol::eager)
OVLP_SEND(Rsend, Irsend, Rsend_init, protocol::by_size)

OVLP_ENTRY int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm in,
                        MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  status_of status(wanted);
  int const result = PMPI_Recv(buffer, count, type, from, tag, in, status.at());
  if (auto* const trace = here.trace()) trace->receive(here.site(), {{buffer, count, type}, from, tag, in}, *status);
  return result;
}

OVLP_AFTER(Irecv, starts_receive)
OVLP_AFTER(Recv_init, prepares_receive)

OVLP_ENTRY int MPI_Sendrecv(void const* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                            void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm in,
                            MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  status_of status(wanted);
  auto* const trace = here.trace();
  if (trace != nullptr)
    trace->start_exchange(here.site(), {{sent, sent_count, sent_type}, to, sent_tag, in, protocol::by_size},
                          {{buffer, count, type}, from, tag, in});
  int const result =
      PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, buffer, count, type, from, tag, in, status.at());
  if (trace != nullptr) trace->end_exchange(here.site(), *status);
  return result;
}

OVLP_ENTRY int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int sent_tag, int from, int tag,
                                    MPI_Comm in, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  status_of status(wanted);
  auto* const trace = here.trace();
  if (trace != nullptr)
    trace->start_exchange(here.site(), {{buffer, count, type}, to, sent_tag, in, protocol::by_size},
                          {{buffer, count, type}, from, tag, in});
  int const result = PMPI_Sendrecv_replace(buffer, count, type, to, sent_tag, from, tag, in, status.at());
  if (trace != nullptr) trace->end_exchange(here.site(), *status);
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

OVLP_BEFORE(Probe, nothing)
OVLP_BEFORE(Iprobe, nothing)

OVLP_ENTRY int MPI_Mprobe(int from, int tag, MPI_Comm in, MPI_Message* message, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  status_of status(wanted);
  int const result = PMPI_Mprobe(from, tag, in, message, status.at());
  if (auto* const trace = here.trace()) trace->matched(here.site(), in, *message, *status);
  return result;
}

OVLP_ENTRY int MPI_Improbe(int from, int tag, MPI_Comm in, int* flag, MPI_Message* message, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  status_of status(wanted);
  int const result = PMPI_Improbe(from, tag, in, flag, message, status.at());
  if (auto* const trace = here.trace(); trace != nullptr && *flag != 0)
    trace->matched(here.site(), in, *message, *status);
  return result;
}

OVLP_ENTRY int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  status_of status(wanted);
  MPI_Message which = *message;  // NOLINT(misc-const-correctness): a pointer, or a number
  int const result = PMPI_Mrecv(buffer, count, type, message, status.at());
  if (auto* const trace = here.trace()) trace->receive_matched(here.site(), which, {buffer, count, type}, *status);
  return result;
}

OVLP_ENTRY int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  call const here(__builtin_return_address(0));
  MPI_Message which = *message;  // NOLINT(misc-const-correctness): a pointer, or a number
  int const result = PMPI_Imrecv(buffer, count, type, message, request);
  if (auto* const trace = here.trace()) trace->start_matched(here.site(), which, {buffer, count, type}, *request);
  return result;
}
