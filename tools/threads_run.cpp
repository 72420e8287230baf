// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads run: becomes a program whose threads run where a mapping says.
#include <elf.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/modules.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/threads/mapping.hpp>

#include "options.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

void check_units(shared_memory::thread_mapping const& mapping, std::string const& file) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  for (std::size_t t = 0; t < mapping.units.size(); ++t) {
    if (mapping.units[t] >= CPU_SETSIZE || !CPU_ISSET(mapping.units[t], &allowed))
      throw config_error(file + ": thread " + std::to_string(t) + " is to run on unit " +
                         std::to_string(mapping.units[t]) + ", which this process may not use or there is not");
  }
}

/// Nothing can be loaded into such a program.
bool is_static(std::filesystem::path const& file) {
  std::ifstream from(file, std::ios::binary);
  Elf64_Ehdr header{};
  from.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!from || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  from.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    from.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!from || segment.p_type == PT_INTERP) return false;
  }
  return true;
}

void set(char const* name, std::string const& value) {
  ::setenv(name, value.c_str(), 1);
}  // NOLINT(concurrency-mt-unsafe)

[[noreturn]] void become(std::vector<std::string> const& program, shared_memory::thread_mapping const& mapping) {
  std::string units;
  for (std::size_t const unit : mapping.units) units += (units.empty() ? "" : " ") + std::to_string(unit);
  char const* const preloaded = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  std::string const module = base::module_file("threads run", "ovlp_pin_threads.so", "");
  set("LD_PRELOAD", preloaded == nullptr ? module : module + ":" + preloaded);
  set("OVLP_THREAD_UNITS", units);
  set("OMP_PLACES", mapping.omp_places());
  set("OMP_PROC_BIND", "true");
  std::vector<char*> words;
  for (std::string const& word : program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  throw io_error("'" + program.front() + "' cannot be started: " + std::strerror(errno));
}

}  // namespace

void add_threads_run(CLI::App& threads, std::vector<std::string> const& program) {
  auto const file = std::make_shared<std::string>();
  CLI::App& run = *threads.add_subcommand("run", "Run the program after --, its threads where a mapping says");
  add_required(run, "--map", *file, "MAPPING", "of ovlp threads map");
  run.footer(
      "Example: ovlp threads run --map mapping.json -- ./app\n"
      "Threads are mapped by their creation; of OpenMP also by OMP_PLACES.");
  run.callback([file, program] {
    if (program.empty()) throw config_error("threads run: expected -- and a program, as in: -- ./program");
    shared_memory::thread_mapping const mapping = shared_memory::read_mapping(*file);
    check_units(mapping, *file);
    if (is_static(base::find_program(program.front())))
      throw config_error("'" + program.front() + "': expected a program that is linked dynamically");
    become(program, mapping);
  });
}

}  // namespace ovlp::tools
