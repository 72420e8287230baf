// SPDX-License-Identifier: BSD-3-Clause
// All that is known of gnuplot.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/charts/chart.hpp>

namespace ovlp::charts {
namespace {

/// As wide as a line of text may be: the width of the picture, about.
constexpr std::size_t line_length = 90;  // characters

/// The colours of Okabe and Ito that are dark enough on white: told apart with any kind of colour blindness.
constexpr std::array<char const*, 7> colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                            "#000000", "#E69F00", "#56B4E9"};
/// gnuplot's numbers: one more than colours, so that 56 series look different.
constexpr std::array<int, 8> markers{7, 5, 9, 13, 11, 4, 6, 8};

/// The length of the UTF-8 character that begins the text; 0 if none does.
std::size_t character_length(std::string_view text) {
  auto const first = static_cast<unsigned char>(text[0]);
  std::size_t length = first < 0x80 ? 1 : 0;
  if (first >= 0xc2 && first < 0xf5) length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::size_t characters(std::string const& text) {
  auto const begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string clipped(std::string text) {
  if (characters(text) <= line_length) return text;
  while (characters(text) > line_length - 3) text.pop_back();
  return text + "...";
}

/// A constant of gnuplot's language, which means nothing else to it, whatever the text contains.
std::string constant(std::string_view text) {
  std::string made = "'";
  while (!text.empty()) {
    std::size_t const length = character_length(text);
    bool const control = static_cast<unsigned char>(text[0]) < ' ' || text[0] == '\x7f';
    if (length == 0 || control) made += '?';
    else made += text[0] == '\'' ? "''" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return made + "'";
}

/// Title and facts in lines, none much longer than the picture is wide.
std::string title_of(chart const& what) {
  std::vector<std::string> lines;
  for (fact const& each : what.facts) {
    std::string const words = text_of(each);
    if (lines.empty() || characters(lines.back() + ", " + words + ",") > line_length) {
      if (!lines.empty()) lines.back() += ',';
      lines.push_back(words);
    } else {
      lines.back() += ", " + words;
    }
  }
  std::string title = constant(clipped(what.title));
  for (std::string const& line : lines) title += ".\"\\n\"." + constant(clipped(line));
  return title;
}

bool is_bars(series const& of) { return of.drawn_as == mark::bars; }

bool is_heat_map(chart const& what) {
  return std::ranges::any_of(what.all, [](series const& s) { return s.drawn_as == mark::cells; });
}

/// A long legend makes the picture higher, not the plot lower.
std::size_t height_of(chart const& what) {
  if (what.height > 0) return what.height;
  std::size_t longest = 1, labels = 0;
  for (series const& s : what.all) {
    longest = std::max(longest, characters(clipped(s.name)));
    if (!s.name.empty()) ++labels;
  }
  std::size_t const columns = std::max<std::size_t>(1, 900 / (70 + 8 * longest));
  std::size_t const rows = (labels + columns - 1) / columns;
  return 540 + 21 * (std::max<std::size_t>(rows, 4) - 4);
}

std::string range_of(axis const& of) {
  auto const end = [](std::optional<double> const& at) { return at ? base::shortest(*at) : "*"; };
  if (!of.names.empty()) return "[-0.6:" + base::shortest(static_cast<double>(of.names.size()) - 0.4) + "]";
  return "[" + (of.with_zero ? "*<0" : end(of.from)) + ":" + end(of.to) + "]";
}

/// `name`: x, y or y2.
std::string commands_of(axis const& of, std::string const& name) {
  std::string commands = "set " + name + "label " + constant(of.label) + "\nset " + name + "range " + range_of(of) +
                         "\nset " + name + "tics nomirror";
  if (of.step > 0) commands += " " + base::shortest(of.step);
  std::string names;
  for (std::size_t i = 0; i < of.names.size(); ++i)
    names += (i == 0 ? "" : ", ") + constant(of.names[i]) + " " + std::to_string(i);
  if (characters(names) > line_length) commands += " rotate by -30";
  if (!names.empty()) commands += " (" + names + ")";
  if (of.logarithm > 0) commands += "\nset logscale " + name + " " + base::shortest(of.logarithm);
  return commands + "\n";
}

/// Room around points, where an axis goes as far as they need.
std::string offsets_of(chart const& what) {
  auto const room = [](axis const& of) { return of.from || of.to || !of.names.empty() ? "0" : "graph 0.04"; };
  std::string const side = room(what.x), up = what.y.logarithm > 0 ? "0" : room(what.y);
  return "set offsets " + side + ", " + side + ", " + up + ", " + (what.y.with_zero ? "0" : up) + "\n";
}

bool has_ranges(series const& of) {
  return std::ranges::any_of(of.points, [](point const& p) { return p.low < p.high; });
}

void write_points(series const& of, std::ostream& to) {
  bool const ranges = of.drawn_as == mark::spans || has_ranges(of);
  for (point const& p : of.points) {
    if (!std::isnan(p.y)) {
      to << p.x << ' ' << p.y;
      if (of.drawn_as == mark::cells) to << ' ' << p.shade;
      else if (ranges) to << ' ' << p.low << ' ' << p.high;
    }
    to << '\n';  // an empty line is a gap
  }
  if (of.points.empty()) to << "NaN NaN NaN NaN\n";  // gnuplot takes no empty block
}

/// `bar`, `bars`: which one of how many series of bars.
std::string with_mark(series const& of, std::size_t bar, std::size_t bars) {
  std::string const marker = " pt " + std::to_string(markers[of.look.value_or(0) % markers.size()]) +
                             (of.size > 0 ? " ps " + base::shortest(of.size) : "");
  std::string const dash = of.dashed ? " dt (10,6)" : "";
  switch (of.drawn_as) {
    case mark::line: return "1:2 with lines lw " + std::string(of.dashed ? "1.2" : "2") + dash;
    case mark::points: return "1:2 with points" + marker;
    case mark::line_and_points:
      return "1:2 with linespoints lw 2" + dash + " pi " + std::to_string(of.marker_every) + marker;
    case mark::spans: return "1:2:3:4:($2-0.4):($2+0.4) with boxxyerror fs solid 1 noborder";
    case mark::cells: return "1:2:3 with image pixels";
    case mark::bars: break;
  }
  double const room = 0.8 / static_cast<double>(bars);
  double const aside = room * (static_cast<double>(bar) - static_cast<double>(bars - 1) / 2);
  return "($1+" + base::fixed(aside, 3) + "):2" + (has_ranges(of) ? ":3:4" : "") + ":(" + base::fixed(0.9 * room, 3) +
         ") with box" + (has_ranges(of) ? "errorbars" : "es") + " fs solid 0.8 noborder";
}

std::string plots_of(chart const& what) {
  auto const bars = static_cast<std::size_t>(std::ranges::count_if(what.all, is_bars));
  std::string ranges, plots;
  std::size_t bar = 0;
  for (std::size_t i = 0; i < what.all.size(); ++i) {
    series const& s = what.all[i];
    std::string const data = "$points" + std::to_string(i) + " using ";
    std::string const color = std::string(" lc rgb '") + (s.look ? colors[*s.look % colors.size()] : "#606060") + "' ";
    bool const in_legend = !s.name.empty() && s.drawn_as != mark::cells;
    if (s.drawn_as <= mark::line_and_points && has_ranges(s))
      ranges += data + "1:2:3:4 with yerrorbars lw 1.2 pt 0" + color + "notitle, \\\n";
    plots += (i == 0 ? "" : ", \\\n") + data + with_mark(s, bar, bars) + (s.drawn_as == mark::cells ? " " : color) +
             (s.on_y2 ? "axes x1y2 " : "") + (in_legend ? "title " + constant(clipped(s.name)) : "notitle");
    if (is_bars(s)) ++bar;
  }
  return "plot " + ranges + plots + "\n";
}

void write_panel(chart const& what, char const* legend, std::ostream& to) {
  bool const heat_map = is_heat_map(what);
  int const borders = heat_map ? 15 : what.y2 ? 11 : 3;  // sides with an axis, as gnuplot counts them
  to << "set title " << title_of(what) << "\nset border " << borders << " lc rgb '#404040'\nset tics out scale 0.5\n";
  if (heat_map) {
    to << "unset key\nset size ratio 1\nset cbrange [0:100]\nset palette defined (0 'white', 100 '#202020')\n"
       << "set cblabel " << constant(what.all.front().name) << '\n';
  } else {
    to << "set grid ytics lc rgb '#d8d8d8' lt 1 lw 1\n";
    if (std::ranges::any_of(what.all, is_bars)) to << "set errorbars small lc rgb '#404040'\n";
    bool const named = std::ranges::any_of(what.all, [](series const& s) { return !s.name.empty(); });
    to << (named ? legend : "unset key") << '\n';
  }
  to << commands_of(what.x, "x") << commands_of(what.y, "y");
  if (what.y2) to << commands_of(*what.y2, "y2");
  to << offsets_of(what);
  for (std::size_t i = 0; i < what.all.size(); ++i) {
    to << "$points" << i << " << END\n";
    write_points(what.all[i], to);
    to << "END\n";
  }
  to << plots_of(what);
}

}  // namespace

std::string text_of(fact const& of) { return of.first + " = " + (of.second.empty() ? "none" : of.second); }

std::optional<image> image_named(std::string const& file) {
  auto const ending = std::filesystem::path(file).extension();
  return ending == ".svg" ? std::optional(image::svg) : ending == ".png" ? std::optional(image::png) : std::nullopt;
}

std::string script_of(std::vector<chart> const& panels, image as) {
  std::size_t height = 0;
  for (chart const& each : panels) height += height_of(each);
  std::ostringstream to;
  to.precision(15);
  // Fonts and markers of equal name are not of equal size in both.
  bool const svg = as == image::svg, several = panels.size() > 1;
  std::string const font = !svg ? "Sans,12" : several ? "sans-serif,13" : "sans-serif,15";
  to << "set encoding utf8\nset terminal " << (svg ? "svg" : "pngcairo") << " noenhanced size 900," << height
     << " background 'white' font '" << font << "'\n";
  if (several) to << "set multiplot layout " << panels.size() << ",1\n";
  for (chart const& each : panels) {
    to << "reset\nset pointsize " << (svg ? "0.8" : "1.2") << '\n';
    write_panel(each,
                several ? "set key outside top right horizontal" : "set key below Left reverse spacing 1.1 height 0.7",
                to);
  }
  if (several) to << "unset multiplot\n";
  return to.str();
}

std::string drawn(std::vector<chart> const& panels, image as) {
  base::outcome const ended = [&] {
    try {  // neither a shell nor the user's settings take part
      return base::run({{"gnuplot", "--default-settings"}, script_of(panels, as)});
    } catch (io_error const& failed) {
      throw io_error(std::string("plots need gnuplot (Debian: the package gnuplot-nox): ") + failed.what());
    }
  }();
  if (ended.good() && !ended.out.empty()) return ended.out;
  std::string const said = base::joined(base::words_of(ended.err), " ");
  throw io_error("gnuplot failed: " + (said.empty() ? ended.complaint() : said));
}

void draw(chart const& what, std::string const& file) {
  base::write_output(file, drawn({what}, image_named(file).value()));
}

}  // namespace ovlp::charts
