// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ovlp::tools {

/// A page for a browser, in one file: a heading, a text as it stands, and figures.
class html_page {
 public:
  html_page(std::string const& title, std::string const& text);

  /// What gnuplot draws by this script, whose terminal is svg. Errors: io_error.
  void figure(std::string const& script, std::string const& caption);
  /// The page; nothing more can be added.
  std::string end();

 private:
  std::string page_;
};

}  // namespace ovlp::tools
