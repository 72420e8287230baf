// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "advise.hpp"

namespace ovlp::lab::study {

/// For people.
std::string text_of(advice const& found, analysis::goal const& wanted);
/// The front, a row a plan: docs/advice.md.
std::string csv_of(advice const& found);
/// The advised plan, with what it is expected to bring: docs/formats/plan.md.
std::string plan_file_of(advice const& found, advise_options const& options);

}  // namespace ovlp::lab::study
