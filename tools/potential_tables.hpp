// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/mpi/potential_overlap.hpp>

namespace ovlp::tools {

/// Codes, and the networks on which they are looked at: each latency with each bandwidth, both ascending.
struct potential_study {
  std::vector<mpi::code_parameters> codes;
  std::vector<double> latencies_s, bandwidths_Bps;
  double message_gap_s;

  /// In seconds, and bytes a second.
  mpi::overlap_network network(double latency_s, double bandwidth) const {
    return {latency_s, bandwidth, message_gap_s};
  }
  /// For figures that are given at one bandwidth: the highest.
  mpi::overlap_network fastest(double latency_s) const { return network(latency_s, bandwidths_Bps.back()); }
};

/// For people: messages of each code, and its times over latency at the highest bandwidth.
std::string text_of(potential_study const& study);
/// A row for each code and network: docs/overlap-potential.md.
std::string csv_of(potential_study const& study);

}  // namespace ovlp::tools
