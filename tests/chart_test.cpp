// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/charts/chart.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>

#include "support/process.hpp"

namespace {

using namespace ovlp::charts;
using ovlp::testing::count;

chart two_lines() {
  return {.title = "Time",
          .facts = {{"nodes", "8"}, {"plan", ""}},
          .x = {.label = "n", .logarithm = 2},
          .y = {.label = "seconds", .with_zero = true},
          .all = {{.name = "measured", .look = 0, .points = {{1, 2}, {2, 3.5, 3, 4}}},
                  {.name = "predicted", .look = 1, .points = {{1, 2}, {2, gap}, {4, 3}}, .dashed = true}}};
}

void check_has(std::string const& script, std::initializer_list<char const*> texts) {
  for (std::string const text : texts) CHECK_MESSAGE(count(script, text) == 1, text << " in\n" << script);
}

}  // namespace

TEST_CASE("the script of a chart says its title, axes and series, and their points") {
  check_has(script_of({two_lines()}, image::svg),
            {"set title 'Time'.\"\\n\".'nodes = 8, plan = none'\n", "set xlabel 'n'\nset xrange [*:*]\n",
             "set logscale x 2\n", "set ylabel 'seconds'\nset yrange [*<0:*]\n", "\n1 2 2 2\n2 3.5 3 4\nEND\n",
             "\n1 2\n\n4 3\nEND\n", "with yerrorbars", "title 'measured'",
             "dt (10,6) pi 1 pt 5 lc rgb '#D55E00' title 'predicted'", "set key below",
             "set terminal svg noenhanced size 900,540 "});
}

TEST_CASE("names stand at an axis where there are no numbers, slanted if they are many") {
  chart bars{.x = {.names = {"a", "it's"}},
             .all = {{.name = "one", .drawn_as = mark::bars, .look = 0, .points = {{0, 1}, {1, 2}}},
                     {.name = "two", .drawn_as = mark::bars, .look = 1, .points = {{0, 1, 0, 2}, {1, 2, 1, 3}}}}};
  std::string const script = script_of({bars}, image::png);
  check_has(script, {"set xrange [-0.6:1.6]", "set xtics nomirror ('a' 0, 'it''s' 1)\n",
                     "using ($1+-0.200):2:(0.360) with boxes", "using ($1+0.200):2:3:4:(0.360) with boxerrorbars"});
  bars.x.names.assign(20, "all-to-all");
  CHECK(count(script_of({bars}, image::png), "rotate by -30") == 1);
}

TEST_CASE("a second axis, a heat map and panels are drawn as such") {
  chart drawn = two_lines();
  drawn.y2 = axis{.label = "nodes", .from = 0, .to = 8, .step = 2};
  drawn.all.push_back({.drawn_as = mark::line, .points = {{1, 8}}, .on_y2 = true});
  check_has(script_of({drawn}, image::svg), {"set y2range [0:8]\nset y2tics nomirror 2\n", "set border 11 ",
                                             "$points2 using 1:2 with lines lw 2 lc rgb '#606060' axes x1y2 notitle"});

  chart const cells{.all = {{.name = "share", .drawn_as = mark::cells, .points = {{.x = 0, .y = 1, .shade = 50}}}}};
  check_has(script_of({cells}, image::svg), {"set cblabel 'share'", "\n0 1 50\n", "with image pixels", "unset key"});

  chart const rows{.all = {{.name = "waits", .drawn_as = mark::spans, .look = 5, .points = {{0, 3, 0, 2}}}},
                   .height = 200};
  std::string const panels = script_of({rows, rows}, image::svg);
  check_has(panels, {"size 900,400 ", "set multiplot layout 2,1\n", "unset multiplot\n"});
  CHECK(count(panels, "reset\n") == 2);
}

TEST_CASE("a long legend makes a chart higher, and long texts are cut") {
  chart drawn;
  for (std::size_t i = 0; i < 6; ++i)
    drawn.all.push_back({.name = std::string(200, 'x'), .look = i, .points = {{0, 0}}});
  std::string const script = script_of({drawn}, image::svg);
  CHECK(count(script, "size 900,582 ") == 1);
  CHECK(count(script, "title '" + std::string(87, 'x') + "...'") == 6);
}

TEST_CASE("gnuplot draws charts of each kind, and a series without points has a place in the legend") {
  for (mark const each : {mark::line, mark::points, mark::line_and_points, mark::bars, mark::spans}) {
    CAPTURE(static_cast<int>(each));
    chart const drawn_so{.title = "it's `1` \xff \u00b5 \u2212",
                         .all = {{.name = "first", .drawn_as = each, .look = 0, .points = {{1, 2, 0, 3}, {2, 3, 1, 5}}},
                                 {.name = "empty", .drawn_as = each, .look = 1}}};
    std::string const svg = drawn({drawn_so}, image::svg);
    for (std::string const text : {"<text>it's `1` ? \u00b5 \u2212</text>", "<text>first</text>", "<text>empty</text>"})
      CHECK_MESSAGE(count(svg, text) == 1, text);
  }
  chart const cells{.all = {{.name = "share", .drawn_as = mark::cells, .points = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}}};
  CHECK(count(drawn({cells}, image::svg), "<text>share</text>") == 1);
  chart two_axes = two_lines();
  two_axes.y2 = axis{.label = "nodes"};
  two_axes.all.back().on_y2 = true;
  CHECK(drawn({two_axes, two_axes}, image::png).starts_with("\x89PNG\r\n"));
}

TEST_CASE("a file's name says what kind of picture it is") {
  CHECK(image_named("a.svg") == image::svg);
  CHECK(image_named("a/b.png") == image::png);
  CHECK(image_named("a.pdf") == std::nullopt);
}
