// SPDX-License-Identifier: BSD-3-Clause
#include "page.hpp"

#include <string>
#include <vector>

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

analysis::matched_calls match(std::vector<run_figures> const& runs) {
  std::vector<std::vector<analysis::run_call>> all;
  for (run_figures const& one : runs) all.push_back(analysis::call_list(one.run).all());
  return analysis::match_calls(all);
}

std::string html(std::string const& runs, columns const& packed, std::string const& comparison) {
  constexpr std::string_view mark = "<!-- data -->";
  std::string_view const around = page_template();
  if (around.empty()) {
    throw config_error(
        "this ovlp was built without reports: install nodejs and npm (scripts/install), configure and build it again");
  }
  std::size_t const at = around.find(mark);
  std::string text(around.substr(0, at));
  for (std::size_t i = 0; i < packed.packed().size(); ++i) {
    text += "<script type=\"text/plain\" id=\"column" + std::to_string(i) + "\">";
    text += packed.packed()[i];
    text += "</script>\n";
  }
  auto const data = [&](char const* id, std::string const& json) {
    text += std::string("<script type=\"application/json\" id=\"") + id + "\">" + within_html(json) + "</script>\n";
  };
  data("comparison", as_text(comparison));
  data("runs", "[" + runs + "]");
  text += around.substr(at + mark.size());
  return text;
}

}  // namespace

std::string make_page(std::vector<run_figures> const& runs) {
  analysis::matched_calls const among = match(runs);
  columns packed;
  std::string described;
  for (run_figures const& one : runs)
    described += (described.empty() ? "" : ",\n") + as_text(describe(one, packed, among));
  return html(described, packed, comparison_of(runs));
}

std::string comparison_of(std::vector<run_figures> const& runs) {
  std::vector<std::string> names;
  for (run_figures const& one : runs) names.push_back(one.name);
  return match(runs).note(names);
}

}  // namespace ovlp::report
