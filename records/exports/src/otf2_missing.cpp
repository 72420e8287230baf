// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/error.hpp>

#include "writers.hpp"

namespace ovlp::exports {

void write_otf2(timeline const&, std::string const&, export_note const&) {
  throw config_error("OTF2 was not there when this ovlp was built: install libopen-trace-format2-dev and build again");
}

}  // namespace ovlp::exports
