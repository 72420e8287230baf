// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <ovlp/records/sink.hpp>

namespace ovlp {

/// What else is known of a run, by name: its command line, its platform.
using run_facts = std::map<std::string, std::string>;

/// Who calls a sink.
enum class emitters : std::uint8_t { one_thread, several_threads };

/// A sink that stores what a run emits in a file, docs/formats/record.md, which stored_run reads; with the fact `only`,
/// run_totals in the place of steps, kernels, waits, posts and messages. A thread of its own
/// packs and writes; a few blocks wait in memory, and when more would, the run waits. What has been written stays
/// readable however the run ends. In a module, so that programs link no more than they use.
/// `failed`: is told once, by any thread, when the file cannot be written on: the run goes on, and nothing is stored
/// any more.
/// Thread: as record_sink says. Errors: io_error; config_error if the module is not there.
std::shared_ptr<record_sink> make_run_recorder(std::string const& file, run_facts about, emitters who,
                                               std::function<void(std::string const&)> failed);

/// Makes one file of those that the processes of a real run have stored, if they are all here: docs/formats/record.md.
/// Errors: io_error, config_error; the files then stay as they are, and the first command that reads them tries again.
void join_run_records(std::string const& file);

}  // namespace ovlp
