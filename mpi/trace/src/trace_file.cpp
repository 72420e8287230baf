// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/trace_file.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/mpi/check.hpp>

#include "formats.hpp"

namespace ovlp::mpi {
namespace {

/// An archive's anchor file begins with a byte order, and its name.
bool is_otf2(std::string_view contents) { return contents.substr(0, 6).ends_with("BOTF2"); }

struct format {
  char const* name;
  recognizer* is;
  reader* read;
  char const* extension;  ///< nullptr: it is not written
  writer* write;
};
/// In this order they are tried.
constexpr std::array formats{
    format{"ovlp's own", is_own_format, read_own_format, ".mpitrace", own_format_of},
    format{"Dimemas", is_dimemas, read_dimemas, ".dim", dimemas_of},
    format{"OTF2", is_otf2, read_otf2, nullptr, nullptr},
    format{"GOAL", is_goal, read_goal, nullptr, nullptr},
    format{"SimGrid's time-independent", is_time_independent, read_time_independent, nullptr, nullptr},
};

}  // namespace

std::vector<rank_id> all_ranks(std::size_t count) {
  std::vector<rank_id> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}
std::string name_of_file(std::string const& file) { return std::filesystem::path(file).stem().string(); }

trace read_trace(std::string const& name, double flops) {
  std::string const file = std::filesystem::is_directory(name) ? name + "/trace.mpitrace" : name;
  std::string const contents = base::read_file(file);
  auto const found = std::ranges::find_if(formats, [&](format const& f) { return f.is(contents); });
  if (found == formats.end()) {
    std::vector<std::string> expected;
    for (format const& f : formats) expected.emplace_back(f.name);
    throw config_error(file +
                       ": expected a trace of an MPI program, in one of these formats: " + base::joined(expected));
  }
  trace made = found->read({contents, file, flops});
  try {
    check(made);
    if (found->read == read_own_format) check_bytes_of_collectives(made);
  } catch (config_error const& wrong) {
    throw config_error(file + ": " + wrong.what());
  }
  return made;
}

void write_trace(trace const& what, std::string const& file) {
  std::string const extension = std::filesystem::path(file).extension().string();
  std::vector<std::string> known;
  for (format const& f : formats) {
    if (f.extension == nullptr) continue;
    if (extension == f.extension) return base::replace_file(file, f.write(what));
    known.emplace_back(f.extension);
  }
  throw config_error(file + ": expected a name that ends in " + base::joined(known, " or ") +
                     ", which says in what format to write");
}

}  // namespace ovlp::mpi
