// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ovlp::tools {

// What all pictures have in common: size, fonts, colours, markers, title and legend. As text for gnuplot.

/// Whether the file's name says which format is meant.
bool is_picture(std::string const& file);
/// Of --picture; empty: none. Errors: config_error, if it does not.
void expect_picture(std::string const& file);

using key_values = std::vector<std::pair<std::string, std::string>>;
/// "key = value"
std::string as_words(std::string const& key, std::string const& value);

/// `title`: what is shown. `common`: what holds of all of it, in lines below. `legend`: for whose lines there must be
/// room below the picture. `borders`: sides with an axis, as gnuplot counts them.
struct picture {
  std::string file;
  std::string title;
  key_values common;
  std::vector<std::string> legend;
  int borders;
};
/// The beginning of a script, before data and axes.
std::string beginning_of(picture const& drawn);

std::string color(std::size_t series);
/// Marker and colour of a line, and its text in the legend.
std::string style(std::size_t series, std::string const& label);

/// The least of these digits times a power of ten that is not less than this: a step between tics.
double round_step(double least, std::initializer_list<double> digits);

}  // namespace ovlp::tools
