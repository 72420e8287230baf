// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "advise.hpp"

namespace ovlp::lab::study {

/// For people. `error`: of predictions, relative; a gain below it is not sure.
std::string text_of(advice const& found, analysis::goal const& wanted, double error);
/// The front, a row a plan: docs/advice.md.
std::string csv_of(advice const& found);
/// The advised plan, with what it is expected to bring: docs/formats/plan.md.
std::string plan_file_of(advice const& found, analysis::goal const& wanted, advise_options const& options);

/// "8 nodes; 6 after iteration 2"
std::string words_of(plan const& of, std::size_t nodes);

}  // namespace ovlp::lab::study
