// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ovlp/ovlp.hpp>
#include <utility>

#include "stencil.hpp"

/// Where a neighbour is, seen from the strip that gets its border.
enum class Side : std::uint8_t { above, below };

/// The row next to a neighbour, after so many sweeps.
struct Border {
  int sweeps;
  Side side;
  Row cells;  ///< shared with the strip that it comes from, not copied
};

/// What is known of a strip, or of all together.
struct Status {
  int sweeps = 0;
  double change = 0;  ///< of a cell in the last sweep, at most
  std::uint64_t checksum = 0;
};

/// Some rows of the plate: the state of a DPS thread.
///
/// There are two fields, by turns the one that is read and the one that is written. The first and the last row of each
/// are ghost rows: edges of the plate, which stay, or borders of neighbours, which are empty until they come, and again
/// after the sweep. A neighbour is one sweep ahead at most, for it needs borders too; what it sends early goes into the
/// other field.
struct Strip {
  std::size_t first = 0;  ///< number in the plate of the upper ghost row
  std::array<Rows, 2> fields;
  Status now;

  Rows& after(int sweeps) { return fields[static_cast<std::size_t>(sweeps % 2)]; }
  Border border(int sweeps, Side side) {
    Rows const& rows = after(sweeps);
    return {sweeps, side, side == Side::above ? rows[rows.size() - 2] : rows[1]};
  }
  void take(Border border) {
    Rows& rows = after(border.sweeps);
    (border.side == Side::above ? rows.front() : rows.back()) = std::move(border.cells);
  }
};
using Here = ovlp::here<Strip>;

inline bool has_above(Here const& here) { return here.index() > 0; }
inline bool has_below(Here const& here) { return here.index() + 1 < here.size(); }
inline void forget_borders(Here const& here, Rows& rows) {
  if (has_above(here)) rows.front() = Row{};
  if (has_below(here)) rows.back() = Row{};
}
inline ovlp::kernel_sizes size_of(Rows const& rows) { return {rows.size() - 2, rows[1].size() - 2}; }

inline Status fill_strip(Here& here, Status) {
  Strip& strip = here.state;
  here.kernel("heat.fill", size_of(strip.fields[0]), [&] { fill(strip.fields[0], strip.first); });
  forget_borders(here, strip.fields[0]);
  strip.fields[1] = strip.fields[0];
  return strip.now = {};
}
/// The next sweep; both borders are there.
inline Status sweep_strip(Here& here) {
  Strip& strip = here.state;
  here.iteration(strip.now.sweeps + 1);
  Rows& from = strip.after(strip.now.sweeps);
  Rows& to = strip.after(strip.now.sweeps + 1);
  here.kernel("heat.sweep", size_of(from), [&] { strip.now.change = sweep(from, to); });
  forget_borders(here, from);
  ++strip.now.sweeps;
  return strip.now;
}
inline Status checksum_strip(Here& here, Status) {
  Strip& strip = here.state;
  Rows const& rows = strip.after(strip.now.sweeps);
  here.kernel("heat.checksum", size_of(rows), [&] { strip.now.checksum = checksum(rows, strip.first); });
  return strip.now;
}
