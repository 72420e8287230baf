// SPDX-License-Identifier: BSD-3-Clause
#include "html_page.hpp"

#include <algorithm>
#include <utility>

#include <ovlp/base/gnuplot.hpp>

namespace ovlp::tools {
namespace {

std::string escaped(std::string const& text) {
  std::string safe;
  for (char c : text) {
    if (c == '&') safe += "&amp;";
    else if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else safe += c;
  }
  return safe;
}

}  // namespace

html_page::html_page(std::string const& title, std::string const& text)
    : page_(
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
          "</title>\n<style>body{font-family:sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
          "figure{margin:2em 0}figure svg{max-width:100%;height:auto}pre{overflow-x:auto}</style></head>\n<body><h1>" +
          escaped(title) + "</h1>\n<pre>" + escaped(text) + "</pre>\n") {}

void html_page::figure(std::string const& script, std::string const& caption) {
  std::string const svg = base::run_gnuplot(script);
  page_ += "<figure>" + svg.substr(std::min(svg.size(), svg.find("<svg")))  // without the head of a file of its own
           + "<figcaption>" + escaped(caption) + "</figcaption></figure>\n";
}

std::string html_page::end() { return std::exchange(page_, {}) + "</body></html>\n"; }

}  // namespace ovlp::tools
