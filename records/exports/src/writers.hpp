// SPDX-License-Identifier: BSD-3-Clause
// A file a format. docs/formats/exports.md says what each holds.
#pragma once

#include <string>

#include <ovlp/exports/export_formats.hpp>

#include "timeline.hpp"

namespace ovlp::exports {

/// Errors: io_error, if `output` cannot be written.
using writer = void(timeline const& run, std::string const& output, export_note const& note);

writer write_perfetto;
writer write_paraver;
/// Errors also: config_error, in a build without OTF2.
writer write_otf2;

}  // namespace ovlp::exports
