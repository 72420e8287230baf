// SPDX-License-Identifier: BSD-3-Clause
#include "overlap_study_text.hpp"

#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

#include <ovlp/base/text.hpp>

#include "text_table.hpp"

namespace ovlp::tools {
namespace {

using base::fixed;

std::string speed_up(double original_s, double overlapped_s) {
  return fixed(100 * (original_s / overlapped_s - 1), 1) + " %";
}

std::string in_megabytes(std::optional<double> bandwidth, char const* without) {
  return bandwidth ? short_number(1e-6 * *bandwidth) : without;
}

std::string times_of(mpi::overlap_study const& study) {
  text_table table;
  table.add({"", "original", "measured pattern", "ideal pattern"});
  mpi::overlap_point const& base = study.base;
  table.add({"time [s]", fixed(base.original_s, 6), fixed(base.measured_s, 6), fixed(base.ideal_s, 6)});
  table.add({"faster by", "", speed_up(base.original_s, base.measured_s), speed_up(base.original_s, base.ideal_s)});
  table.add({"bandwidth for the original's time [MB/s]", short_number(1e-6 * base.bandwidth_Bps),
             in_megabytes(study.measured.relaxed_Bps, "none"), in_megabytes(study.ideal.relaxed_Bps, "none")});
  table.add({"bandwidth that the original would need [MB/s]", "",
             in_megabytes(study.measured.equivalent_Bps, "none is enough"),
             in_megabytes(study.ideal.equivalent_Bps, "none is enough")});
  for (auto const& one : study.ablations) {
    table.add({"faster without " + one.without + " by", "", speed_up(base.original_s, one.measured_s),
               speed_up(base.original_s, one.ideal_s)});
  }
  return table.text();
}

/// All messages, and those of each size, the largest first.
std::string patterns_of(mpi::overlap_study const& study) {
  constexpr std::size_t most_sizes = 8;
  auto const percent = [](double share) { return fixed(100 * share, 3); };
  auto const each_row = [&](auto const& add) {
    add("all", study.patterns);
    std::size_t left = study.patterns_by_bytes.size() > 1 ? most_sizes : 0;
    for (auto of = study.patterns_by_bytes.rbegin(); of != study.patterns_by_bytes.rend() && left > 0; ++of, --left)
      add(std::to_string(of->first) + " bytes", of->second);
  };
  text_table table;
  if (study.patterns.produced) {
    table.add({"produced of a message [% of the interval]", "sends", "first", "quarter", "half", "whole"});
    each_row([&](std::string const& name, mpi::access_patterns const& of) {
      if (!of.produced) return;
      auto const& p = *of.produced;
      table.add(
          {name, std::to_string(of.sends), percent(p.first), percent(p.quarter), percent(p.half), percent(p.whole)});
    });
  }
  if (study.patterns.consumed) {
    table.add({"passed with so much of a message [% of the interval]", "receives", "nothing", "quarter", "half"});
    each_row([&](std::string const& name, mpi::access_patterns const& of) {
      if (!of.consumed) return;
      auto const& c = *of.consumed;
      table.add({name, std::to_string(of.receives), percent(c.nothing), percent(c.quarter), percent(c.half)});
    });
  }
  std::string const text = table.text();
  return text.empty() ? "The trace says nothing of how messages are produced and consumed.\n" : text;
}

std::string networks_of(mpi::overlap_study const& study) {
  text_table table;
  table.add(
      {"latency [us]", "bandwidth [MB/s]", "original [s]", "measured [s]", "faster by", "ideal [s]", "faster by"});
  for (mpi::overlap_point const& at : study.points) {
    table.add({short_number(1e6 * at.latency_s), short_number(1e-6 * at.bandwidth_Bps), fixed(at.original_s, 6),
               fixed(at.measured_s, 6), speed_up(at.original_s, at.measured_s), fixed(at.ideal_s, 6),
               speed_up(at.original_s, at.ideal_s)});
  }
  return table.text();
}

}  // namespace

std::string text_of(mpi::overlap_study const& study) {
  std::string text = times_of(study) + "\n" + patterns_of(study);
  if (!study.points.empty()) text += "\n" + networks_of(study);
  return text;
}

std::string csv_of(mpi::overlap_study const& study) {
  std::ostringstream csv;
  csv << std::setprecision(9) << "latency_s,bandwidth_Bps,original_s,measured_s,ideal_s\n";
  auto const row = [&](mpi::overlap_point const& at) {
    csv << at.latency_s << ',' << at.bandwidth_Bps << ',' << at.original_s << ',' << at.measured_s << ',' << at.ideal_s
        << '\n';
  };
  row(study.base);
  for (mpi::overlap_point const& at : study.points) row(at);
  return csv.str();
}

}  // namespace ovlp::tools
