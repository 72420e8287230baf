// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/describe.hpp>

#include <algorithm>

namespace ovlp::mpi {
namespace {

std::string message(char const* verb, char const* to_or_from, rank_id partner, std::int32_t tag, std::uint64_t bytes,
                    index communicator) {
  std::string text = std::string(verb) + ' ' + to_or_from + " rank " + std::to_string(partner) + ", tag " +
                     std::to_string(tag) + ", " + std::to_string(bytes) + " bytes";
  if (communicator != 0) text += ", communicator " + std::to_string(communicator);
  return text;
}

struct to_text {
  std::string operator()(compute const& c) const { return "compute " + std::to_string(c.duration_s) + " s"; }
  std::string operator()(send const& s) const {
    return message(s.request == none ? "send" : "non-blocking send", "to", s.to, s.tag, s.bytes, s.communicator);
  }
  std::string operator()(receive const& r) const {
    return message(r.request == none ? "receive" : "non-blocking receive", "from", r.from, r.tag, r.bytes,
                   r.communicator);
  }
  std::string operator()(wait const& w) const { return "wait for request " + std::to_string(w.request); }
  std::string operator()(collective const& c) const {
    std::string text = (c.request == none ? "" : "non-blocking ") + std::string(name_of(c.what));
    if (has_root(c.what)) text += " with root " + std::to_string(c.root);
    if (c.communicator != 0) text += ", communicator " + std::to_string(c.communicator);
    return text;
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
    text += (is_first ? "" : ", ") + one.name + " (" + std::to_string(one.calls) +
            (!is_first        ? " of "
             : one.calls == 1 ? " call of "
                              : " calls of ") +
            std::to_string(one.ranks) +
            (!is_first        ? ""
             : one.ranks == 1 ? " rank"
                              : " ranks") +
            ')';
  }
  return text;
}

}  // namespace ovlp::mpi
