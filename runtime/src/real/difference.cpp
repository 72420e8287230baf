// SPDX-License-Identifier: BSD-3-Clause
#include "difference.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ovlp::real {
namespace {

constexpr std::size_t most_shown = 60;

/// Two texts that may be long, or hold anything: of each the part in which they differ.
std::pair<std::string, std::string> shown(std::string_view a, std::string_view b) {
  std::size_t from = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  bool const both_short = std::max(a.size(), b.size()) <= most_shown;
  from = both_short || from < most_shown / 2 ? 0 : from - most_shown / 2;
  auto const part = [from](std::string_view text) {
    std::string made(text.substr(from, most_shown));
    std::ranges::replace_if(
        made, [](char c) { return c < ' ' || c > '~'; }, '?');
    return (from > 0 ? "..." : "") + made + (text.size() > from + most_shown ? "..." : "");
  };
  return {part(a), part(b)};
}

std::string with(fact const& option, std::string const& words) {
  return option.text ? "with " + words : "without " + option.what;
}

}  // namespace

std::string difference(node_id other, facts const& theirs, node_id self, facts const& own) {
  auto const [t, o] = std::ranges::mismatch(theirs, own);
  std::string const them = node_name(other), us = node_name(self);
  bool const they_have = t != theirs.end(), we_have = o != own.end();
  if (they_have && we_have && t->what_kind == o->what_kind && t->what == o->what) {
    auto const [theirs_shown, own_shown] = shown(t->text.value_or(""), o->text.value_or(""));
    switch (t->what_kind) {
      case fact::kind::option:
        return them + " was started " + with(*t, theirs_shown) + ", " + us + " " + with(*o, own_shown);
      case fact::kind::value:
        if (!t->text || !o->text) return o->what + " differs between " + them + " and " + us;
        return o->what + " is " + theirs_shown + " on " + them + ", " + own_shown + " on " + us;
      case fact::kind::structure: break;
    }
    return them + " runs another program than " + us + ": " + o->what + " differs";
  }
  return them + " runs another program than " + us + ": " +
         (they_have ? "it has " + shown(t->what, "").first : "it lacks " + shown(o->what, "").first) +
         (they_have && we_have ? ", where " + us + " has " + shown(o->what, "").first : "");
}

}  // namespace ovlp::real
