// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/gnuplot.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::base {
namespace {

/// The length of the UTF-8 character that begins the text; 0 if none does.
std::size_t character_length(std::string_view text) {
  auto const first = static_cast<unsigned char>(text[0]);
  std::size_t const length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string run_gnuplot(std::string const& script) {
  outcome const drawn = [&] {
    try {
      return run({{"gnuplot", "--default-settings"}, script});
    } catch (io_error const& failed) {
      throw io_error(std::string("plots need gnuplot (Debian: the package gnuplot-nox): ") + failed.what());
    }
  }();
  if (drawn.good() && !drawn.out.empty()) return drawn.out;
  std::string const said = joined(words_of(drawn.err), " ");
  throw io_error("gnuplot failed: " + (said.empty() ? drawn.complaint() : said));
}

std::string gnuplot_text(std::string_view text) {
  std::string quoted = "'";
  while (!text.empty()) {
    std::size_t const length = character_length(text);
    bool const control = static_cast<unsigned char>(text[0]) < ' ' || text[0] == '\x7f';
    if (length == 0 || control) {
      quoted += '?';
    } else {
      quoted += text[0] == '\'' ? "''" : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + "'";
}

}  // namespace ovlp::base
