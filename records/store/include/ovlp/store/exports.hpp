// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// A sink that writes a table of each kind of record to FOLDER/KIND.csv, and those of names: run.csv, graph.csv,
/// operation.csv, collection.csv. Columns: docs/formats/record.md. What it writes is there after flush().
/// `reservation`: what a reader must know of the run (stored_run::reservation). Errors: io_error, also of flush().
std::unique_ptr<record_sink> make_csv_export(std::string const& folder, std::string const& reservation = "");

}  // namespace ovlp
