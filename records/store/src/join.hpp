// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ovlp {

/// Makes one record of those of all processes of a real run, in RUN, and removes the others; nothing if there are none.
/// Rows of each kind are then in the order of their times. Clocks of other machines are corrected by the messages
/// between them (store::fit_clock); fact `clocks` says how. It is complete if all are.
/// Memory: all records. Errors: io_error; config_error if a part is one of another run. The files then stay as they
/// are.
void join_parts(std::string const& run);

}  // namespace ovlp
