// SPDX-License-Identifier: BSD-3-Clause
// Loaded before a program (LD_PRELOAD): it makes the user's locale the program's own, C's and C++'s, as many programs
// do. Where there is no such locale it is one with a comma for a point, and digits in groups of three. Only in programs
// below the folder OVLP_HOSTILE_PROGRAMS: gnuplot and shells are not meant.
#include <unistd.h>

#include <array>
#include <clocale>
#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string>

namespace {

class commas final : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

[[gnu::constructor]] void make_hostile() {
  std::array<char, 4096> path{};
  char const* const programs = std::getenv("OVLP_HOSTILE_PROGRAMS");
  if (programs == nullptr || ::readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) return;
  if (!std::string(path.data()).starts_with(programs)) return;
  std::setlocale(LC_ALL, "");
  try {
    std::locale::global(std::locale(std::locale(""), new commas));
  } catch (std::runtime_error const&) {
    std::locale::global(std::locale(std::locale::classic(), new commas));
  }
  std::setlocale(LC_ALL, "");  // which a locale without a name has undone
}

}  // namespace
