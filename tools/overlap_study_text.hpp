// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/mpi/overlap_study.hpp>

namespace ovlp::tools {

/// For people.
std::string text_of(mpi::overlap_study const& study);
/// A row for each network: docs/overlap.md.
std::string csv_of(mpi::overlap_study const& study);

}  // namespace ovlp::tools
