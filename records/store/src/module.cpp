// SPDX-License-Identifier: BSD-3-Clause
// What a program loads that stores its run.
#include <utility>

#include "join.hpp"
#include "run_recorder.hpp"

extern "C" __attribute__((visibility("default"))) ovlp::record_sink* ovlp_make_recorder(
    std::string const& file, ovlp::run_facts about, ovlp::emitters who,
    std::function<void(std::string const&)> failed) {
  return ovlp::make_recorder(file, std::move(about), who, std::move(failed)).release();
}

extern "C" __attribute__((visibility("default"))) void ovlp_join_records(std::string const& run) {
  ovlp::join_parts(run);
}
