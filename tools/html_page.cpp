// SPDX-License-Identifier: BSD-3-Clause
#include "html_page.hpp"

#include <algorithm>

namespace ovlp::tools {

std::string escaped(std::string const& text) {
  std::string safe;
  for (char c : text) {
    if (c == '&') safe += "&amp;";
    else if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else if (c == '"') safe += "&quot;";
    else safe += c;
  }
  return safe;
}

std::string html_page(std::string const& title, std::string const& text, std::vector<figure> const& figures) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
      "</title>\n<style>body{font-family:sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
      "figure{margin:2em 0}figure svg{max-width:100%;height:auto}pre{overflow-x:auto}</style></head>\n<body><h1>" +
      escaped(title) + "</h1>\n<pre>" + escaped(text) + "</pre>\n";
  for (figure const& each : figures) {
    std::string const svg = charts::drawn(each.panels, charts::image::svg);
    page += "<figure>" + svg.substr(std::min(svg.size(), svg.find("<svg")))  // without the head of a file of its own
            + "<figcaption>" + escaped(each.caption) + "</figcaption></figure>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace ovlp::tools
