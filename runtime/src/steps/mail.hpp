// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <ovlp/runtime/internal/control.hpp>
#include <ovlp/runtime/internal/envelope.hpp>
#include <ovlp/runtime/internal/mailbox.hpp>

namespace ovlp::OVLP_INLINE_CORE {

class execution;

// What comes to a DPS thread beside data objects.

/// A group's total on its way to the closer's DPS thread.
struct total_mail final : mail {
  explicit total_mail(group_total t) : mail(kind_type::total), total(std::move(t)) {}
  group_total total;
};

/// Start a merge or stream whose first object has come; or resume a suspended operation. A part of the execution.
struct operation_mail final : mail {
  operation_mail(kind_type start_or_resume, execution& e) : mail(start_or_resume), operation(e) {}
  execution& operation;
};

/// Move to another node when no operation is suspended here.
struct move_mail final : mail {
  explicit move_mail(node_id node) : mail(kind_type::move), to(node) {}
  node_id to;
};
/// A state, or none: then it is to be made.
using given_state = std::optional<std::shared_ptr<void>>;
/// Live on this node from now on.
struct arrive_mail final : mail {
  explicit arrive_mail(given_state s) : mail(kind_type::arrive), state(std::move(s)) {}
  given_state state;
};
/// While it waits to move: hold nothing back any longer.
struct let_in_mail final : mail {
  let_in_mail() : mail(kind_type::let_in) {}
};
/// Nothing more will come: leave when all is done that is here.
struct leave_mail final : mail {
  leave_mail() : mail(kind_type::leave) {}
};
/// Have the state made, or taken by the collection's on_leave. The user's functions may take their time, so it is work
/// for an execution thread.
struct state_mail final : mail {
  enum class what_type : std::uint8_t { make, leave };
  explicit state_mail(what_type w) : mail(kind_type::state), what(w) {}
  what_type what;
};

template <class Kind, class... Arguments>
mail_ptr make_mail(Arguments&&... arguments) {
  return mail_ptr(new Kind(std::forward<Arguments>(arguments)...));
}

/// The mail as what its kind says that it is.
template <class Kind>
Kind const& as(mail_ptr const& m) {
  return static_cast<Kind const&>(*m);
}
/// The execution that the mail is a part of.
inline execution& operation_of(mail_ptr m) { return static_cast<operation_mail*>(m.release())->operation; }
inline mail_ptr as_mail(envelope_ptr object) { return mail_ptr(object.release()); }
inline envelope_ptr as_object(mail_ptr m) { return envelope_ptr(static_cast<envelope*>(m.release())); }

}  // namespace ovlp::OVLP_INLINE_CORE
