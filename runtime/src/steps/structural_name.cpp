// SPDX-License-Identifier: BSD-3-Clause
#include "steps/structural_name.hpp"

#include <ovlp/base/mix.hpp>
#include <ovlp/runtime/internal/touch.hpp>

#include "steps/dps_thread.hpp"
#include "steps/execution.hpp"
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

using base::mix;

std::uint64_t name_of(frames const& in, std::uint64_t call) {
  std::uint64_t name = 0;
  for (frame const& one : in) {
    bool const is_call = &one == &in.front();
    std::uint64_t const from = (std::uint64_t{is_call ? 0 : one.port} << 32) | one.opener;
    name =
        is_call ? mix(call, (from << 32) | static_cast<std::uint32_t>(one.iteration)) : mix(mix(name, from), one.place);
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
      return mix(name_of(object.frames, call), (std::uint64_t{object.graph} << 32) | object.operation);
    }
    case mail::kind_type::start:
    case mail::kind_type::resume: return mix(name_of(static_cast<operation_mail const&>(work).operation, call), kind);
    default: return kind;
  }
}

frames const* frames_of(mail const& work) {
  switch (work.kind) {
    case mail::kind_type::object: return &static_cast<envelope const&>(work).frames;
    case mail::kind_type::start:
    case mail::kind_type::resume: return &static_cast<operation_mail const&>(work).operation.frames();
    default: return nullptr;
  }
}

}  // namespace ovlp::OVLP_INLINE_CORE
