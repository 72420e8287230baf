// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/context.hpp>

#include <ovlp/base/error.hpp>

namespace ovlp::detail {

void refuse_ended_operation() {
  throw graph_error(
      "an 'in', 'out' or 'here' was used after its operation had ended: expected it to be used by the operation "
      "itself");
}

}  // namespace ovlp::detail
