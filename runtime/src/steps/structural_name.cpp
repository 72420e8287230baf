// SPDX-License-Identifier: BSD-3-Clause
#include "steps/structural_name.hpp"

#include <iterator>

#include <ovlp/base/mix.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "steps/dps_thread.hpp"
#include "steps/execution.hpp"
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

using base::mix;

std::uint64_t name_of(frames in, std::uint64_t call) {
  if (in.empty()) return 0;
  frame const& of_call = in.front();
  std::uint64_t name = mix(call, (std::uint64_t{of_call.opener} << 32) | static_cast<std::uint32_t>(of_call.iteration));
  for (auto group = std::next(in.begin()); group != in.end(); ++group) {
    name = mix(mix(name, (std::uint64_t{group->port} << 32) | group->opener), group->place);
  }
  return name;
}

std::uint64_t name_of(execution const& what, std::uint64_t call) {
  operation_place const where = what.where();
  return mix(mix(name_of(what.frames(), call), (std::uint64_t{where.graph} << 32) | where.operation),
             name_of(what.thread().address()));
}

std::uint64_t name_of(mail const& work, std::uint64_t call) {
  auto const kind = static_cast<std::uint64_t>(work.kind);
  switch (work.kind) {
    case mail::kind_type::object: {
      auto const& object = static_cast<envelope const&>(work);
      return mix(name_of(object.frames(), call), (std::uint64_t{object.graph} << 32) | object.operation);
    }
    case mail::kind_type::start:
    case mail::kind_type::resume: return mix(name_of(static_cast<operation_mail const&>(work).operation, call), kind);
    default: return kind;
  }
}

frames frames_of(mail const& work) {
  switch (work.kind) {
    case mail::kind_type::object: return static_cast<envelope const&>(work).frames();
    case mail::kind_type::start:
    case mail::kind_type::resume: return static_cast<operation_mail const&>(work).operation.frames();
    default: return {};
  }
}

}  // namespace ovlp::OVLP_INLINE_CORE
