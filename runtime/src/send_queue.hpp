// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>

#include "envelope.hpp"

namespace ovlp {

/// The objects for one other node: at most `bound` in transfer at once, the others in order behind them.
/// docs/model.md, "Transfers".
class send_queue {
 public:
  send_queue() = default;
  send_queue(send_queue&& other) noexcept = delete;
  send_queue& operator=(send_queue&&) = delete;
  ~send_queue() {
    while (!waiting_.empty()) take();
  }

  /// Returns the object if it is to go now. `bound` 0: none.
  envelope_ptr add(envelope_ptr object, std::size_t bound) {
    if (bound == 0 || in_transfer_ < bound) {
      ++in_transfer_;
      return object;
    }
    waiting_.push(object.release());
    return nullptr;
  }
  /// One transfer has ended: returns the object that is to go now, if any.
  envelope_ptr next() {
    if (!waiting_.empty()) return take();
    --in_transfer_;
    return nullptr;
  }

 private:
  envelope_ptr take() { return envelope_ptr(static_cast<envelope*>(waiting_.pop())); }

  std::size_t in_transfer_ = 0;
  mail_queue waiting_;
};

}  // namespace ovlp
