// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/machine/message.hpp>

namespace ovlp::machine {

/// How messages get from a node to the network: who copies them, when each crosses, and when the next one may come.
/// Told by the message path.
class transport {
 public:
  transport() = default;
  transport(transport const&) = delete;
  transport& operator=(transport const&) = delete;
  virtual ~transport() = default;

  /// Who sends copies, and goes on only then; else the node's I/O thread does.
  virtual bool sender_copies() const = 0;
  /// It has been copied: it is to cross, now or later, by path.cross().
  virtual void take(message& m) = 0;
  virtual void crossed(message& m) = 0;
};

}  // namespace ovlp::machine
