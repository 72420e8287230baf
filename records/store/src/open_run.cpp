// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/open_run.hpp>

#include <ovlp/records/run_recorder.hpp>

namespace ovlp {

std::unique_ptr<stored_run> open_run(std::string const& file) {
  if (!parts_of(file).empty()) join_run_records(file);
  return std::make_unique<stored_run>(file);
}

}  // namespace ovlp
