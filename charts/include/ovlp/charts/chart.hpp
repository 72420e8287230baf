// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ovlp::charts {

/// As y of a point: there is none, and the line has a gap.
inline constexpr double gap = std::numeric_limits<double>::quiet_NaN();

struct point {
  double x, y;
  double low = y, high = y;  ///< a range around y; of spans, one of x
  double shade = 0;          ///< of cells, from 0, white, to 100, black
};

enum class mark {
  line,
  points,
  line_and_points,
  bars,   ///< from 0 up, beside those of the other series
  spans,  ///< bars that lie, from low to high
  cells,  ///< squares of a heat map, whose scale is called as the series
};

struct series {
  std::string name = {};  ///< in the legend; empty: not there
  mark drawn_as = mark::line_and_points;
  std::optional<std::size_t> look = {};  ///< number of a colour and a marker; none: grey
  std::vector<point> points = {};
  bool dashed = false;
  bool on_y2 = false;
  double size = 0;               ///< of markers, as a multiple of the usual one; 0: usual
  std::size_t marker_every = 1;  ///< so many points of a line
};

struct axis {
  std::string label = {};
  std::optional<double> from = {}, to = {};  ///< without: as points need it
  bool with_zero = false;                    ///< 0 is shown in any case
  double step = 0;                           ///< between tics; 0: what fits
  double logarithm = 0;                      ///< its base; 0: a linear axis
  std::vector<std::string> names = {};       ///< of 0, 1, 2, ..., where these are no numbers
};

/// "key = value"
using fact = std::pair<std::string, std::string>;
std::string text_of(fact const& of);

/// What is drawn, and nothing of how.
struct chart {
  std::string title = {};
  std::vector<fact> facts = {};  ///< which hold of all of it, in lines below the title
  axis x = {}, y = {};
  std::optional<axis> y2 = {};   ///< at the right
  std::vector<series> all = {};  ///< the first ones undermost
  std::size_t height = 0;        ///< in pixels; 0: usual, and more for a long legend
};

enum class image { svg, png };
/// As the file's name says; none if it says something else.
std::optional<image> image_named(std::string const& file);

/// The file's contents; panels stand one below the other. Errors: io_error, if there is no gnuplot, or it fails.
std::string drawn(std::vector<chart> const& panels, image as);
/// Writes the picture (base::write_output). `file`: ends in .svg or .png.
void draw(chart const& what, std::string const& file);

/// What gnuplot is told: no text of a chart means anything to it.
std::string script_of(std::vector<chart> const& panels, image as);

}  // namespace ovlp::charts
