// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// A format in which stored runs are written for other tools. docs/formats/exports.md
struct export_format {
  std::string_view name;
  std::string_view writes;  ///< what `output` is, for people
  /// A sink for stored_run::read, which writes when it is flushed, if not before. Errors: io_error, also of flush();
  /// config_error if this build cannot write the format.
  std::unique_ptr<record_sink> (*make)(std::string const& output);
};

std::span<export_format const> export_formats();

}  // namespace ovlp
