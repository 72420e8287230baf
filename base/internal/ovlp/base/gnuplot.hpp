// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace ovlp::base {

/// What gnuplot prints when it runs the script. Neither a shell nor the user's settings take part.
/// Errors: io_error if it is not installed, cannot be started or fails.
std::string run_gnuplot(std::string const& script);

/// A text as a constant of gnuplot's language, which means nothing else to it, whatever it contains. For UTF-8 and
/// terminals with `noenhanced`.
std::string gnuplot_text(std::string_view text);

}  // namespace ovlp::base
