// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/running_program.hpp"

namespace ovlp::cluster {

/// What a job's program may say, by what it has said and been told (docs/formats/job.md).
class job_reports {
 public:
  /// `most`: nodes that it can hold.
  job_reports(node_count held, node_count most) : held_(held), nodes_(most) {}

  /// With the program's own time. Errors: config_error for a line that is no report, or says what cannot be.
  report read(std::string const& line);
  /// At a border it has been told that it holds so many from now on.
  void told(node_count held);

 private:
  void join(node_count node);
  void release(node_count node);

  struct numbered {
    bool at_work = false, ordered_back = false;
  };
  node_count held_;              ///< by the last answer
  std::vector<numbered> nodes_;  ///< by its number
  bool started_ = false;
  double last_s_ = 0;
};

}  // namespace ovlp::cluster
