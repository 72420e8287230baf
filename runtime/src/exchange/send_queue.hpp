// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>

#include <ovlp/runtime/internal/envelope.hpp>

#include "steps/mail.hpp"

namespace ovlp::OVLP_INLINE_CORE {

/// The objects for one other node: at most `bound` in transfer at once, the others in order behind them.
/// docs/model.md, "Transfers".
class send_queue {
 public:
  /// Returns the object if it is to go now. `bound` 0: none.
  envelope_ptr add(envelope_ptr object, std::size_t bound) {
    if (bound == 0 || in_transfer_ < bound) {
      ++in_transfer_;
      return object;
    }
    waiting_.push(as_mail(std::move(object)));
    return nullptr;
  }
  /// One transfer has ended: returns the object that is to go now, if any.
  envelope_ptr next() {
    if (!waiting_.empty()) return as_object(waiting_.pop());
    --in_transfer_;
    return nullptr;
  }

 private:
  std::size_t in_transfer_ = 0;
  mail_queue waiting_;
};

}  // namespace ovlp::OVLP_INLINE_CORE
