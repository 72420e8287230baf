// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that send and receive, as the program's: each is MPI's own, and is written to the trace.
#include <vector>

#include <ovlp/instrument/entry.hpp>

#include "call.hpp"

namespace ovlp::mpi::tracer {
namespace {

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

/// The requests that a call may end, and their statuses.
class awaited {
 public:
  awaited(int count, MPI_Request const* requests, MPI_Status* statuses)
      : before_(requests, requests + count), own_(before_.size() + 1), statuses_(statuses) {
    if (statuses == MPI_STATUSES_IGNORE) statuses_ = own_.data();
  }
  MPI_Status* statuses() { return statuses_; }
  void ended(call const& here, std::size_t request, std::size_t status) const {
    if (here.trace() != nullptr) here.trace()->ended(here.site(), before_[request], statuses_[status]);
  }
  void all_ended(call const& here) const {
    for (std::size_t i = 0; i < before_.size(); ++i) ended(here, i, i);
  }
  /// Of some: `count` of them, whose places stand there.
  void some_ended(call const& here, int count, int const* places) const {
    if (count == MPI_UNDEFINED) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      ended(here, static_cast<std::size_t>(places[i]), i);
  }

 private:
  std::vector<MPI_Request> const before_;
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_;
};

/// One has ended, or none.
void one_ended(call const& here, awaited const& all, int place) {
  if (place != MPI_UNDEFINED) all.ended(here, static_cast<std::size_t>(place), 0);
}

}  // namespace
}  // namespace ovlp::mpi::tracer

using namespace ovlp::mpi::tracer;  // NOLINT(google-build-using-namespace)
using ovlp::mpi::protocol;

// A send in its three forms. It is written before MPI sends, so that what a receiver answers is later.
#define OVLP_SEND(blocking, immediate, prepared, how)                                                             \
  OVLP_ENTRY int MPI_##blocking(void const* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm in) { \
    call const here(__builtin_return_address(0));                                                                 \
    if (auto* const trace = here.trace()) trace->send(here.site(), {{buffer, count, type}, to, tag, in, how});    \
    return PMPI_##blocking(buffer, count, type, to, tag, in);                                                     \
  }                                                                                                               \
  OVLP_ENTRY int MPI_##immediate(void const* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,  \
                                 MPI_Request* request) {                                                          \
    call const here(__builtin_return_address(0));                                                                 \
    int const result = PMPI_##immediate(buffer, count, type, to, tag, in, request);                               \
    if (auto* const trace = here.trace())                                                                         \
      trace->start(here.site(), message_to{{buffer, count, type}, to, tag, in, how}, *request);                   \
    return result;                                                                                                \
  }                                                                                                               \
  OVLP_ENTRY int MPI_##prepared(void const* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,   \
                                MPI_Request* request) {                                                           \
    call const here(__builtin_return_address(0));                                                                 \
    int const result = PMPI_##prepared(buffer, count, type, to, tag, in, request);                                \
    if (auto* const trace = here.trace())                                                                         \
      trace->prepare(message_to{{buffer, count, type}, to, tag, in, how}, *request);                              \
    return result;                                                                                                \
  }
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

OVLP_ENTRY int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm in,
                         MPI_Request* request) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Irecv(buffer, count, type, from, tag, in, request);
  if (auto* const trace = here.trace())
    trace->start(here.site(), message_from{{buffer, count, type}, from, tag, in}, *request);
  return result;
}

OVLP_ENTRY int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm in,
                             MPI_Request* request) {
  call const here(__builtin_return_address(0));
  int const result = PMPI_Recv_init(buffer, count, type, from, tag, in, request);
  if (auto* const trace = here.trace()) trace->prepare(message_from{{buffer, count, type}, from, tag, in}, *request);
  return result;
}

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

OVLP_ENTRY int MPI_Start(MPI_Request* request) {
  call const here(__builtin_return_address(0));
  if (auto* const trace = here.trace()) trace->start_prepared(here.site(), *request);
  return PMPI_Start(request);
}

OVLP_ENTRY int MPI_Startall(int count, MPI_Request requests[]) {
  call const here(__builtin_return_address(0));
  auto* const trace = here.trace();
  for (int i = 0; trace != nullptr && i < count; ++i) trace->start_prepared(here.site(), requests[i]);
  return PMPI_Startall(count, requests);
}

OVLP_ENTRY int MPI_Request_free(MPI_Request* request) {
  call const here(__builtin_return_address(0));
  if (auto* const trace = here.trace()) trace->forget(*request);
  return PMPI_Request_free(request);
}

OVLP_ENTRY int MPI_Wait(MPI_Request* request, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  awaited one(1, request, wanted);
  int const result = PMPI_Wait(request, one.statuses());
  one.all_ended(here);
  return result;
}

OVLP_ENTRY int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  call const here(__builtin_return_address(0));
  awaited all(count, requests, statuses);
  int const result = PMPI_Waitall(count, requests, all.statuses());
  all.all_ended(here);
  return result;
}

OVLP_ENTRY int MPI_Waitany(int count, MPI_Request requests[], int* place, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  awaited all(count, requests, wanted);
  int const result = PMPI_Waitany(count, requests, place, all.statuses());
  one_ended(here, all, *place);
  return result;
}

OVLP_ENTRY int MPI_Waitsome(int count, MPI_Request requests[], int* ended, int places[], MPI_Status statuses[]) {
  call const here(__builtin_return_address(0));
  awaited all(count, requests, statuses);
  int const result = PMPI_Waitsome(count, requests, ended, places, all.statuses());
  all.some_ended(here, *ended, places);
  return result;
}

OVLP_ENTRY int MPI_Test(MPI_Request* request, int* flag, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  awaited one(1, request, wanted);
  int const result = PMPI_Test(request, flag, one.statuses());
  if (*flag != 0) one.all_ended(here);
  return result;
}

OVLP_ENTRY int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  call const here(__builtin_return_address(0));
  awaited all(count, requests, statuses);
  int const result = PMPI_Testall(count, requests, flag, all.statuses());
  if (*flag != 0) all.all_ended(here);
  return result;
}

OVLP_ENTRY int MPI_Testany(int count, MPI_Request requests[], int* place, int* flag, MPI_Status* wanted) {
  call const here(__builtin_return_address(0));
  awaited all(count, requests, wanted);
  int const result = PMPI_Testany(count, requests, place, flag, all.statuses());
  if (*flag != 0) one_ended(here, all, *place);
  return result;
}

OVLP_ENTRY int MPI_Testsome(int count, MPI_Request requests[], int* ended, int places[], MPI_Status statuses[]) {
  call const here(__builtin_return_address(0));
  awaited all(count, requests, statuses);
  int const result = PMPI_Testsome(count, requests, ended, places, all.statuses());
  all.some_ended(here, *ended, places);
  return result;
}

OVLP_ENTRY int MPI_Probe(int from, int tag, MPI_Comm in, MPI_Status* status) {
  call const here(__builtin_return_address(0));
  return PMPI_Probe(from, tag, in, status);
}

OVLP_ENTRY int MPI_Iprobe(int from, int tag, MPI_Comm in, int* flag, MPI_Status* status) {
  call const here(__builtin_return_address(0));
  return PMPI_Iprobe(from, tag, in, flag, status);
}

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
