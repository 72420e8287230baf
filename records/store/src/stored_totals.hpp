// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/base/database.hpp>
#include <ovlp/records/run_totals.hpp>

#include "number_check.hpp"

namespace ovlp::store {

// The totals of a run in its file, docs/formats/record.md. Errors: io_error.

/// In the place of those that are there.
void write_totals(run_totals const& totals, base::database& to);
/// `totals`: made with the run's definitions.
void read_totals(base::database& from, number_check& check, run_totals& totals);

}  // namespace ovlp::store
