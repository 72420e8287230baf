// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ovlp/machine/platform.hpp>
#include <ovlp/mpi/overlapped.hpp>
#include <ovlp/mpi/patterns.hpp>
#include <ovlp/mpi/replay.hpp>
#include <ovlp/mpi/trace.hpp>

namespace ovlp::mpi {

struct study_options {
  std::string platform;                ///< its name, or a file
  std::string map;                     ///< of ranks to nodes, as place_ranks() takes it
  std::vector<double> bandwidths_Bps;  ///< of networks beside the platform's; without latencies with its own, and so on
  std::vector<double> latencies_s;
  std::size_t chunks = 4;             ///< of each message
  std::uint64_t eager_bytes = 65536;  ///< replay_options
  collective_choice collectives;
  std::function<void(std::size_t)> progress;  ///< is told of replays that have ended
};

/// The program as it is, and overlapped, on one network.
struct overlap_point {
  double bandwidth_Bps, latency_s;
  double original_s, measured_s, ideal_s;
};

/// What overlapping communication with computation would bring.
/// Source: V. Subotic et al., A simulation framework to automatically analyze the communication-computation overlap in
/// scientific applications, 2010, section V.
struct overlap_study {
  access_patterns patterns;
  std::map<std::uint64_t, access_patterns> patterns_by_bytes;  ///< of messages of each size
  overlap_point base;                                          ///< on the platform as it is
  std::vector<overlap_point> points;                           ///< all bandwidths with all latencies

  /// The measured and the ideal pattern, each on the platform's latency. None: no bandwidth from a millionth to a
  /// million times the platform's does it.
  struct bandwidths {
    std::optional<double>
        relaxed_Bps;  ///< with which the overlapped program takes as long as the original on the platform
    std::optional<double>
        equivalent_Bps;  ///< that the original needs to be as fast as the overlapped one on the platform
  };
  bandwidths measured, ideal;

  /// With one mechanism left out, on the platform.
  struct ablation {
    std::string without;
    double measured_s, ideal_s;
  };
  std::vector<ablation> ablations;
};

/// How a study overlaps messages, with all mechanisms, and how it replays a trace of so many ranks on its platform, or
/// one with another network.
overlap_options overlap_of(study_options const& study, overlap_options::pattern from);
replay_options replay_of(study_options const& study, std::size_t ranks, machine::platform const& on);

/// How many replays it takes, for progress; bisections are counted as if they were all needed.
std::size_t replays_of(study_options const& options);

/// Replays the trace and its overlapped versions. Errors: config_error; as replay().
overlap_study study_overlap(trace const& original, study_options const& options);

}  // namespace ovlp::mpi
