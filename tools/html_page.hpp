// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <ovlp/charts/chart.hpp>

namespace ovlp::tools {

/// Charts one below the other.
struct figure {
  std::vector<charts::chart> panels;
  std::string caption;
};

/// A text in an element of HTML, or a value of an attribute.
std::string escaped(std::string const& text);

/// A page for a browser, in one file: a heading, a text as it stands, and figures. Errors: io_error.
std::string html_page(std::string const& title, std::string const& text, std::vector<figure> const& figures);

}  // namespace ovlp::tools
