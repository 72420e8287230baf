// SPDX-License-Identifier: BSD-3-Clause
// ovlp trace: what the ranks of an MPI program do, and when they access the memory of their messages.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/mpi/assemble.hpp>
#include <ovlp/mpi/describe.hpp>
#include <ovlp/mpi/trace_file.hpp>

#include "options.hpp"
#include "parts.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

struct trace_options {
  std::string folder;
  std::string untraced;
};

/// What ranks of an earlier run have written there.
void remove_earlier(std::string const& folder) {
  std::error_code none_there;
  for (auto const& entry : std::filesystem::directory_iterator(folder, none_there)) {
    std::string const name = entry.path().filename().string();
    if (name.starts_with("rank-") && name.ends_with(".raw")) std::filesystem::remove(entry.path());
  }
}

/// Runs it, and reads what its ranks write meanwhile into this folder.
std::vector<mpi::raw::rank> run_traced(std::vector<std::string> const& words, std::string const& folder) {
  remove_earlier(folder);
  base::make_folder(folder);
  base::command traced{words, "", {{"OVLP_TRACE_FOLDER", std::filesystem::absolute(folder).string()}}};
  traced.shares_streams = true;
  base::outcome const ended = base::run(traced);
  if (!ended.good())  // it has said why
    throw config_error("'" + words.front() + "', which was to be traced, ended with status " +
                       std::to_string(ended.status));
  return mpi::raw::read_ranks(folder);
}

/// The command, but for the traced program another one, whose calls of MPI the tracer's library notes.
std::vector<std::string> with_untraced(std::vector<std::string> words, mpi::raw::rank const& traced,
                                       std::string const& untraced) {
  auto const is_program = [&](std::string const& word) {
    std::error_code ignored;
    return std::filesystem::equivalent(word, traced.program, ignored);
  };
  if (std::none_of(words.begin(), words.end(), is_program))
    throw config_error("--untraced: no word of the command is the file of the traced program, '" + traced.program +
                       "': which one it replaces is not clear");
  std::vector<std::string> others;
  for (std::string& word : words) {
    if (is_program(word)) others.insert(others.end(), {"env", "LD_PRELOAD=" + traced.library, untraced});
    else others.push_back(std::move(word));
  }
  return others;
}

void run_trace(trace_options const& options, std::vector<std::string> const& program) {
  base::notice_interrupts();
  if (program.empty()) throw config_error("trace: expected -- and a command, as in: -- mpirun -n 4 ./app");
  auto const recorded = run_traced(program, options.folder + "/accesses");
  std::vector<mpi::raw::rank> timed = recorded;
  if (options.untraced.empty()) {
    remove_earlier(options.folder + "/times");
  } else {
    timed = run_traced(with_untraced(program, recorded.front(), options.untraced), options.folder + "/times");
    for (mpi::raw::rank const& one : timed) {
      if (one.about.instrumented != 0)
        throw config_error("--untraced: rank " + std::to_string(one.about.rank) + " runs '" + one.program +
                           "', which is compiled for tracing: expected a program compiled as usual");
    }
  }
  mpi::assembled const all = mpi::assemble(std::filesystem::path(recorded.front().program).filename(), recorded, timed);
  std::string const file = options.folder + "/trace.mpitrace";
  mpi::write_trace(all.made, file);
  if (!all.made.left_out.empty()) say("trace", "not in the trace: " + mpi::describe_left_out(all.made));
  for (std::string const& note : all.notes) say("trace", note);
  if (options.untraced.empty())
    say("trace",
        "bursts are as long as in the traced run, some ten times too long; --untraced takes them from a program that "
        "was compiled as usual");
  std::printf("%s\n", file.c_str());
}

}  // namespace

void add_trace(CLI::App& ovlp, std::vector<std::string> const& program) {
  auto const options = std::make_shared<trace_options>();
  CLI::App& command = add_part(ovlp, "trace");
  add_required(command, "-o,--output", options->folder, "FOLDER", "for the trace and what it is made of");
  add_option(command, "--untraced", options->untraced, "PROGRAM",
             "the same program compiled as usual: for the bursts' durations", CLI::ExistingFile);
  command.footer(
      "Example: ovlp-mpicc -O2 -o app.traced app.c; mpicc -O2 -o app app.c\n"
      "         ovlp trace -o trace --untraced ./app -- mpirun -n 4 ./app.traced");
  command.callback([options, program] { run_trace(*options, program); });
}

}  // namespace ovlp::tools
