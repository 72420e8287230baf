// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <ovlp/records/run_recorder.hpp>
#include <ovlp/records/run_totals.hpp>

namespace ovlp {

/// See make_run_recorder().
class run_recorder : public record_sink {
 public:
  /// Of a run that keeps totals only: those of another process. After begin().
  virtual void add(run_totals const& more) = 0;
};

std::unique_ptr<run_recorder> make_recorder(std::string const& file, run_facts about, emitters who,
                                            std::function<void(std::string const&)> failed);

}  // namespace ovlp
