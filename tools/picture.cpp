// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include <ovlp/base/error.hpp>
#include <ovlp/base/gnuplot.hpp>

namespace ovlp::tools {
namespace {

using base::gnuplot_text;

/// As wide as a line of text may be: the width of the picture, about.
constexpr std::size_t line_length = 90;  // characters

std::size_t characters(std::string const& text) {
  auto const begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };  // UTF-8
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string clipped(std::string text) {
  if (characters(text) <= line_length) return text;
  while (characters(text) > line_length - 3) text.pop_back();
  return text + "...";
}

/// None much longer than the picture is wide.
std::vector<std::string> lines_of(picture const& drawn) {
  std::vector<std::string> lines;
  for (auto const& [key, value] : drawn.common) {
    std::string const words = as_words(key, value);
    if (lines.empty() || characters(lines.back() + ", " + words + ",") > line_length) {
      if (!lines.empty()) lines.back() += ',';
      lines.push_back(words);
    } else {
      lines.back() += ", " + words;
    }
  }
  lines.insert(lines.begin(), drawn.title);
  return lines;
}

/// The colours of Okabe and Ito that are dark enough on white: told apart with any kind of colour blindness.
constexpr std::array<char const*, 7> colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                            "#000000", "#E69F00", "#56B4E9"};
/// Numbers of gnuplot: one more than colours, so that 56 series look different.
constexpr std::array<int, 8> markers{7, 5, 9, 13, 11, 4, 6, 8};

/// A long legend makes the picture higher, not the plot lower.
std::size_t height_for(std::vector<std::string> const& legend) {
  std::size_t longest = 1;
  for (std::string const& label : legend) longest = std::max(longest, characters(clipped(label)));
  std::size_t const columns = std::max<std::size_t>(1, 900 / (70 + 8 * longest));
  std::size_t const rows = (legend.size() + columns - 1) / columns;
  return 540 + 21 * (std::max<std::size_t>(rows, 4) - 4);
}

/// Fonts and markers of equal name are not of equal size in both.
std::string terminal_of(std::string const& file, std::size_t height) {
  std::string const of_both = " noenhanced size 900," + std::to_string(height) + " background 'white' font ";
  return std::filesystem::path(file).extension() == ".svg" ? "svg" + of_both + "'sans-serif,15'\nset pointsize 0.8"
                                                           : "pngcairo" + of_both + "'Sans,12'\nset pointsize 1.2";
}

}  // namespace

bool is_picture(std::string const& file) {
  auto const ending = std::filesystem::path(file).extension();
  return ending == ".svg" || ending == ".png";
}

void expect_picture(std::string const& file) {
  if (!file.empty() && !is_picture(file))
    throw config_error("--picture: expected a name that ends in .svg or .png, got '" + file + "'");
}

std::string as_words(std::string const& key, std::string const& value) {
  return key + " = " + (value.empty() ? "none" : value);
}

std::string beginning_of(picture const& drawn) {
  std::ostringstream to;
  to << "set encoding utf8\n";
  to << "set terminal " << terminal_of(drawn.file, height_for(drawn.legend)) << '\n';
  to << "set title ";
  std::vector<std::string> const title = lines_of(drawn);
  for (std::size_t i = 0; i < title.size(); ++i) to << (i == 0 ? "" : ".\"\\n\".") << gnuplot_text(clipped(title[i]));
  to << '\n';
  to << "set border " << drawn.borders << " lc rgb '#404040'\n";
  to << "set grid ytics lc rgb '#d8d8d8' lt 1 lw 1\n";
  to << "set tics out scale 0.5\n";
  to << "set key below Left reverse spacing 1.1 height 0.7\n";
  return to.str();
}

std::string color(std::size_t series) { return colors[series % colors.size()]; }

std::string style(std::size_t series, std::string const& label) {
  return " pt " + std::to_string(markers[series % markers.size()]) + " lc rgb '" + color(series) + "' title " +
         gnuplot_text(clipped(label));
}

double round_step(double least, std::initializer_list<double> digits) {
  double power = 1;
  while (10 * power < least) power *= 10;
  for (double const digit : digits) {
    if (digit * power >= least) return digit * power;
  }
  return 10 * power;
}

}  // namespace ovlp::tools
