// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/error.hpp>

#include "formats.hpp"

namespace ovlp::mpi {

trace read_otf2(trace_source const& from) {
  throw config_error(
      from.file + ": OTF2 was not there when this ovlp was built: install libopen-trace-format2-dev and build again");
}

}  // namespace ovlp::mpi
