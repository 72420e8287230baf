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

/// A sink that stores what a run emits in a file, docs/formats/record.md, which stored_run reads. A thread of its own
/// packs and writes; a few blocks wait in memory, and when more would, the run waits. What has been written stays
/// readable however the run ends. In a module, so that programs link no more than they use.
/// `failed`: is told once, by any thread, when the file cannot be written on: the run goes on, and nothing is stored
/// any more.
/// Thread: as record_sink says. Errors: io_error; config_error if the module is not there.
std::shared_ptr<record_sink> make_run_recorder(std::string const& file, run_facts about, emitters who,
                                               std::function<void(std::string const&)> failed);

}  // namespace ovlp
