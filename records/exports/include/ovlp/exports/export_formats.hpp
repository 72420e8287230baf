// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <ovlp/records/sink.hpp>

namespace ovlp {

using export_note = std::function<void(std::string const&)>;

/// A format in which stored runs are written for other tools. docs/formats/exports.md
struct export_format {
  std::string_view name;
  std::string_view writes;  ///< what `output` is, for people
  /// A sink for stored_run::read, which writes when it is flushed, if not before. `reservation`: what a reader must
  /// know of the run (stored_run::reservation); it stands in what is written. `note` is told, in a line, what of the
  /// run the format's tools may not take. Errors: io_error, also of flush(); config_error if this build cannot write
  /// the format, and of flush() if the format cannot have the run.
  std::unique_ptr<record_sink> (*make)(std::string const& output, std::string const& reservation,
                                       export_note const& note);
};

std::span<export_format const> export_formats();

}  // namespace ovlp
