// SPDX-License-Identifier: BSD-3-Clause
#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

void mail::deleter::operator()(mail* m) const noexcept {
  switch (m->kind) {
    case kind_type::object: envelope::deleter()(static_cast<envelope*>(m)); break;
    case kind_type::total: delete static_cast<total_mail*>(m); break;
    case kind_type::move: delete static_cast<move_mail*>(m); break;
    case kind_type::arrive: delete static_cast<arrive_mail*>(m); break;
    case kind_type::let_in: delete static_cast<let_in_mail*>(m); break;
    case kind_type::leave: delete static_cast<leave_mail*>(m); break;
    case kind_type::state: delete static_cast<state_mail*>(m); break;
    case kind_type::start:
    case kind_type::resume: break;  // parts of executions
  }
}

}  // namespace ovlp::OVLP_INLINE_CORE
