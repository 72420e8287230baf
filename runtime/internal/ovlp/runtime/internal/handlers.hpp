// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ovlp {

/// One function for each kind of message, for std::visit.
template <class... Functions>
struct handlers : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
handlers(Functions...) -> handlers<Functions...>;

}  // namespace ovlp
