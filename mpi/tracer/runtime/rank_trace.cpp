// SPDX-License-Identifier: BSD-3-Clause
#include "rank_trace.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "shadow.hpp"

namespace ovlp::mpi::tracer {
namespace {

std::uint64_t bytes_in(MPI_Status const& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

constexpr char const* messages_of_other_worlds = "messages with processes that are not in MPI_COMM_WORLD";

/// The shared library that this is in.
std::string own_file() {
  Dl_info found{};
  ::dladdr(reinterpret_cast<void const*>(&own_file), &found);
  return found.dli_fname == nullptr ? "" : found.dli_fname;
}

}  // namespace

rank_trace::rank_trace(std::string const& file, raw::moment const& when)
    : file_(file), communicators_(file_), messages_(file_) {
  raw::begin begin;
  begin.when = when;
  PMPI_Comm_rank(MPI_COMM_WORLD, &begin.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &begin.ranks);
  begin.instrumented = memory.instrumented ? 1 : 0;
  file_.put(raw::kind::begin, begin);
  file_.put_text(own_file());
  std::error_code ignored;
  file_.put_text(std::filesystem::read_symlink("/proc/self/exe", ignored).string());
}

void rank_trace::send(call_site const& at, message_to const& what) {
  if (!is_none(what.rank, what.in)) put_send(at, what, none);
}

void rank_trace::receive(call_site const& at, message_from const& what, MPI_Status const& status) {
  if (is_none(what.rank, what.in)) return;
  std::uint64_t const bytes = bytes_in(status);
  std::uint64_t const number = put_receive(at, what, bytes, status.MPI_SOURCE, status.MPI_TAG, none);
  messages_.received(number, first_bytes(memory_of(what.what), bytes), at.when.clock, at.when.clock, at.from);
}

void rank_trace::start_exchange(call_site const& at, message_to const& to, message_from const& from) {
  start(at, from, MPI_REQUEST_NULL);  // which nobody else has under way
  send(at, to);
}

void rank_trace::start(call_site const& at, message_to const& what, MPI_Request request) {
  if (is_none(what.rank, what.in)) return;
  std::uint32_t const number = next_request_++;
  put_send(at, what, number);
  under_way_.emplace(request, under_way{number, 0, 0, false, {}, nullptr, at.from});
}

void rank_trace::start(call_site const& at, message_from const& what, MPI_Request request) {
  if (is_none(what.rank, what.in)) return;
  std::uint32_t const number = next_request_++;
  std::uint64_t const number_of_message = put_receive(at, what, bytes_of(what.what), what.rank, what.tag, number);
  under_way_.emplace(request, under_way{number, number_of_message, at.when.clock, true, memory_of(what.what),
                                        communicators_.of(what.in), at.from});
}

void rank_trace::start(call_site const& at, exchange const& what, MPI_Comm in, MPI_Request request) {
  std::uint32_t const number = next_request_++;
  if (put_collective(at, what, in, number))
    under_way_.emplace(request, under_way{number, 0, 0, false, {}, nullptr, at.from});
}

void rank_trace::start(call_site const& at, std::vector<part_of_exchange> const& parts, MPI_Comm in,
                       MPI_Request request) {
  if (communicators_.of(in)->leaves_the_world) return left_out(messages_of_other_worlds);
  communicator const& beside = *communicators_.beside(in);
  under_way all{none, 0, 0, false, {}, nullptr, at.from};
  for (bool const sends : {false, true}) {
    for (part_of_exchange const& part : parts) {
      if (part.sends != sends || part.other.rank == MPI_PROC_NULL) continue;
      std::uint32_t const number = next_request_++;
      int const other = beside.global(part.other.rank);
      blocks const its_memory = memory_of(part.what);
      std::uint64_t const its_message = next_message_++;
      if (sends) {
        file_.put(raw::kind::send, raw::send{{other, part.other.tag, bytes_of(part.what), beside.id, number}, at.when});
        messages_.sent(its_message, its_memory, other, at.when.clock, at.from);
      } else {
        file_.put(raw::kind::receive,
                  raw::receive{{other, part.other.tag, bytes_of(part.what), beside.id, number}, at.when});
      }
      all.parts.push_back({number, its_message, at.when.clock, !sends, its_memory, nullptr, at.from});
    }
  }
  under_way_.emplace(request, std::move(all));
}

void rank_trace::ended(call_site const& at, MPI_Request request, MPI_Status const& status) {
  auto const found = under_way_.find(request);
  if (found == under_way_.end()) return;
  under_way const its = std::move(under_way_.extract(found).mapped());
  if (its.number != none) return put_end(at, its, &status);
  for (under_way const& part : its.parts) put_end(at, part, nullptr);
}

/// `status`: nullptr: it got what it was to get.
void rank_trace::put_end(call_site const& at, under_way const& its, MPI_Status const* status) {
  if (its.receives) {
    int cancelled = 0;
    std::uint64_t bytes = bytes_of(its.memory);
    if (status != nullptr) {
      PMPI_Test_cancelled(status, &cancelled);
      raw::received got{its.number, cancelled != 0 ? 1U : 0U, 0, 0, 0};
      if (cancelled == 0) {
        got.from = its.in->global(status->MPI_SOURCE);
        got.tag = status->MPI_TAG;
        got.bytes = bytes = bytes_in(*status);
      }
      file_.put(raw::kind::received, got);
    }
    if (cancelled == 0)
      messages_.received(its.message, first_bytes(its.memory, bytes), its.posted, at.when.clock, its.from);
  }
  file_.put(raw::kind::wait, raw::wait{{its.number}, at.when});
}

void rank_trace::matched(call_site const& at, MPI_Comm in, MPI_Message which, MPI_Status const& status) {
  if (which == MPI_MESSAGE_NO_PROC || is_none(status.MPI_SOURCE, in)) return;
  std::uint32_t const number = next_request_++;
  data const unknown{nullptr, 0, MPI_BYTE};
  std::uint64_t const its_message = put_receive(at, {unknown, status.MPI_SOURCE, status.MPI_TAG, in}, bytes_in(status),
                                                status.MPI_SOURCE, status.MPI_TAG, number);
  matched_.insert_or_assign(which, under_way{number, its_message, 0, true, {}, communicators_.of(in), at.from});
}

void rank_trace::start_matched(call_site const& at, MPI_Message which, data const& what, MPI_Request request) {
  auto const found = matched_.find(which);
  if (found == matched_.end()) return;
  under_way its = std::move(matched_.extract(found).mapped());
  its.posted = at.when.clock;
  its.memory = memory_of(what);
  its.from = at.from;
  under_way_.emplace(request, std::move(its));
}

void rank_trace::start_prepared(call_site const& at, MPI_Request request) {
  auto const found = prepared_.find(request);
  if (found != prepared_.end()) std::visit([&](auto const& what) { start(at, what, request); }, found->second);
}

void rank_trace::forget(MPI_Request request) {
  if (prepared_.erase(request) != 0) return;
  if (auto const found = under_way_.find(request); found != under_way_.end()) under_way_.erase(found);
}

void rank_trace::end(raw::moment const& when) {
  messages_.end(when.clock);
  for (auto const& [name, calls] : left_out_) {
    file_.put(raw::kind::left_out, raw::left_out{calls});
    file_.put_text(name);
  }
  file_.end(when);
}

void rank_trace::put_send(call_site const& at, message_to const& what, std::uint32_t request) {
  communicator const& in = *communicators_.of(what.in);
  file_.put(raw::kind::send,
            raw::send{{in.global(what.rank), what.tag, bytes_of(what.what), in.id, request, none, what.how}, at.when});
  messages_.sent(next_message_++, memory_of(what.what), in.global(what.rank), at.when.clock, at.from);
}

std::uint64_t rank_trace::put_receive(call_site const& at, message_from const& what, std::uint64_t bytes, int source,
                                      int tag, std::uint32_t request) {
  communicator const& in = *communicators_.of(what.in);
  file_.put(raw::kind::receive,
            raw::receive{{source == MPI_ANY_SOURCE ? -1 : in.global(source), tag, bytes, in.id, request}, at.when});
  return next_message_++;
}

bool rank_trace::is_none(int rank, MPI_Comm in) {
  if (rank == MPI_PROC_NULL) return true;
  if (!communicators_.of(in)->leaves_the_world) return false;
  left_out(messages_of_other_worlds);
  return true;
}

bool rank_trace::put_collective(call_site const& at, exchange const& what, MPI_Comm in, std::uint32_t request) {
  communicator const& met = *communicators_.of(in);
  if (met.between_groups) {
    left_out("collective calls between the groups of an intercommunicator");
    return false;
  }
  if (met.leaves_the_world) {
    left_out(messages_of_other_worlds);
    return false;
  }
  file_.put(raw::kind::collective,
            raw::collective{{what.what, met.id, met.global(what.root), what.bytes_sent, what.bytes_received, request,
                             static_cast<std::uint32_t>(what.counts.size())},
                            at.when});
  file_.put_values(what.counts);
  for (data const& one : what.results) messages_.overwritten(memory_of(one), at.when.clock);
  return true;
}

blocks rank_trace::memory_of(data const& what) {
  if (!memory.instrumented) return {};
  return types_.memory(what.buffer, static_cast<std::uint64_t>(what.count), what.type);
}

}  // namespace ovlp::mpi::tracer
