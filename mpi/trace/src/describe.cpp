// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/describe.hpp>

#include <algorithm>

namespace ovlp::mpi {
namespace {

/// What stands before the name of a call.
std::string kind_of(auto const& call) { return call.request == none ? "" : "non-blocking "; }
/// What stands behind all else.
std::string where(auto const& call) {
  return call.communicator == 0 ? "" : ", communicator " + std::to_string(call.communicator);
}
std::string message(std::string const& verb, auto const& call) {
  return kind_of(call) + verb + " rank " + std::to_string(partner_of(call)) + ", tag " + std::to_string(call.tag) +
         ", " + std::to_string(call.bytes) + " bytes" + where(call);
}

struct to_text {
  std::string operator()(compute const& c) const { return "compute " + std::to_string(c.duration_s) + " s"; }
  std::string operator()(send const& s) const { return message("send to", s); }
  std::string operator()(receive const& r) const { return message("receive from", r); }
  std::string operator()(wait const& w) const { return "wait for request " + std::to_string(w.request); }
  std::string operator()(collective const& c) const {
    std::string const root = has_root(c.what) ? " with root " + std::to_string(c.root) : "";
    return kind_of(c) + std::string(name_of(c.what)) + root + where(c);
  }
  std::string operator()(marker const& m) const {
    return "marker " + std::to_string(m.type) + ' ' + std::to_string(m.value);
  }
};

}  // namespace

bool has_root(operation o) {
  return o == operation::broadcast || o == operation::gather || o == operation::scatter || o == operation::reduce;
}

bool is_call(record const& r) { return !std::holds_alternative<compute>(r) && !std::holds_alternative<marker>(r); }

index request_of(record const& r) {
  if (auto const* const s = std::get_if<send>(&r)) return s->request;
  if (auto const* const m = std::get_if<receive>(&r)) return m->request;
  if (auto const* const c = std::get_if<collective>(&r)) return c->request;
  return none;
}

std::string describe(record const& r) { return std::visit(to_text{}, r); }

std::string describe(trace const& of, rank_id rank, std::size_t at) {
  auto const& records = of.ranks[static_cast<std::size_t>(rank)].records;
  auto const end = records.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  return "rank " + std::to_string(rank) + ", call " + std::to_string(std::count_if(records.begin(), end, is_call)) +
         ": " + describe(records[at]);
}

std::string describe_left_out(trace const& of) {
  std::string text;
  for (left_out_calls const& one : of.left_out) {
    bool const is_first = text.empty();
    auto const counted = [is_first](std::uint64_t count, std::string const& noun) {
      return std::to_string(count) + (is_first ? ' ' + noun + (count == 1 ? "" : "s") : "");
    };
    text += (is_first ? "" : ", ") + one.name + " (" + counted(one.calls, "call") + " of " +
            counted(one.ranks, "rank") + ')';
  }
  return text;
}

}  // namespace ovlp::mpi
