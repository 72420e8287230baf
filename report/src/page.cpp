// SPDX-License-Identifier: BSD-3-Clause
#include "page.hpp"

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>

namespace ovlp::report {
namespace {

/// In an element of HTML: nothing in it ends the element.
std::string within_html(std::string const& json) {
  std::string text;
  text.reserve(json.size());
  for (char const c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string as_text(nlohmann::ordered_json const& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);  // names are the user's
}

}  // namespace

void page::add(run_figures& run, analysis::matched_calls const& among) {
  std::string const text = as_text(describe(run, among));
  runs_ += (runs_.empty() ? "" : ",\n") + text;
}

std::string page::html(std::string const& comparison) const {
  constexpr std::string_view mark = "<!-- data -->";
  std::string_view const around = page_template();
  if (around.empty()) {
    throw config_error(
        "this ovlp was built without reports: install nodejs and npm (scripts/install), configure and build it again");
  }
  std::size_t const at = around.find(mark);
  std::string text(around.substr(0, at));
  for (std::size_t i = 0; i < columns_.packed().size(); ++i) {
    text += "<script type=\"text/plain\" id=\"column" + std::to_string(i) + "\">";
    text += columns_.packed()[i];
    text += "</script>\n";
  }
  auto const data = [&](char const* id, std::string const& json) {
    text += std::string("<script type=\"application/json\" id=\"") + id + "\">" + within_html(json) + "</script>\n";
  };
  data("comparison", as_text(comparison));
  data("runs", "[" + runs_ + "]");
  text += around.substr(at + mark.size());
  return text;
}

std::string make_page(std::vector<std::unique_ptr<run_figures>> const& runs) {
  page made;
  analysis::matched_calls const among = page::match(runs);
  for (std::unique_ptr<run_figures> const& run : runs) made.add(*run, among);
  return made.html(comparison_of(runs));
}

std::string comparison_of(std::vector<std::unique_ptr<run_figures>> const& runs) {
  return page::match(runs).note(page::names_of(runs));
}

}  // namespace ovlp::report
