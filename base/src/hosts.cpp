// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/hosts.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/held_nodes.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::base {
namespace {

constexpr std::size_t most_hosts = held_nodes::most;
constexpr std::size_t longest_name = 255;  // of a host in DNS, and more than of any user

constexpr std::string_view blanks = " \t\v\f\r";
constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::string_view of_ipv6 = "0123456789abcdefABCDEF:.";

/// Reads a line from left to right:
///   line    = [ item { "," item } ] { keyword "=" number } [ "#" comment ]
///   item    = [ user "@" ] host [ ":" number ]
///   host    = ipv6 | "[" ipv6 "]" | part { part }
///   part    = name | "[" range { "," range } "]"
///   range   = number [ "-" number ]
class line_parser {
 public:
  /// `where` is for messages.
  line_parser(std::string_view line, std::string where) : text_(line), where_(std::move(where)) {}

  void parse(std::vector<host>& hosts) {
    skip_blanks();
    if (at_end()) return;
    std::vector<std::pair<std::vector<host>, std::size_t>> items;  // with how many nodes each; 0 if it says none
    do {
      skip_blanks();
      items.push_back(item());
      skip_blanks();
    } while (accept(","));
    if (!at_end()) {
      if (items.size() != 1) expected("'slots=' on a line with one host only");
      if (items.front().second != 0) expected("either HOST:N or 'slots=N', not both");
      items.front().second = slots();
    }
    for (auto const& [named, given] : items) {
      std::size_t const nodes = std::max<std::size_t>(given, 1);
      for (host const& one : named) {
        if (nodes > most_hosts - hosts.size()) expected("at most " + std::to_string(most_hosts) + " hosts");
        hosts.insert(hosts.end(), nodes, one);
      }
    }
  }

 private:
  bool at_end() const { return at_ >= text_.size() || text_[at_] == '#'; }
  bool next_is(std::string_view one_of) const { return !at_end() && one_of.find(text_[at_]) != std::string_view::npos; }
  bool accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  /// As many of these characters as follow.
  std::string_view take(std::string_view any_of) {
    std::size_t const from = at_;
    while (next_is(any_of)) ++at_;
    return text_.substr(from, at_ - from);
  }
  void skip_blanks() { take(blanks); }
  [[noreturn]] void expected(std::string const& what) const {
    throw config_error(where_ + ": expected " + what + ", got " + quoted(trimmed(text_)));
  }

  std::size_t slots() {
    std::size_t nodes = 0;
    std::size_t most = 0;
    while (!at_end()) {
      bool const bound = accept("max_slots=") || accept("max-slots=");
      if (!bound && !accept("slots=")) expected("one host, several with commas between them, or one with 'slots=N'");
      std::size_t& value = bound ? most : nodes;
      if (value != 0) expected("'slots=' and 'max_slots=' once each");
      value = number(1);
      if (!at_end() && !next_is(blanks)) expected("a blank after the number of slots");
      skip_blanks();
    }
    if (nodes == 0) expected("'slots=N' beside 'max_slots='");
    if (most != 0 && nodes > most) expected("no more slots than max_slots");
    return nodes;
  }

  std::pair<std::vector<host>, std::size_t> item() {
    std::string const user = user_before_at();
    std::vector<std::string> addresses{""};
    if (is_ipv6()) {
      addresses = {ipv6()};
    } else {
      host_parts(addresses);
    }
    std::size_t const nodes = accept(":") ? number(1) : 0;
    if (!at_end() && !next_is(blanks) && !next_is(",")) expected("a host as HOST, USER@HOST, HOST[RANGE] or HOST:N");
    std::vector<host> made;
    for (std::string& address : addresses) {
      if (address.size() > longest_name) expected("names of at most " + std::to_string(longest_name) + " characters");
      if (address.front() == '-') expected("a host that does not begin with '-'");
      made.push_back({user.empty() ? address : user + "@" + address, address});
    }
    return {std::move(made), nodes};
  }

  /// Empty: there is no '@'.
  std::string user_before_at() {
    std::size_t const end = text_.find_first_of("@#, \t\v\f\r", at_);
    if (end == std::string_view::npos || text_[end] != '@') return "";
    std::string name(take(of_names));
    if (name.empty() || name.front() == '-' || !accept("@")) expected("a user before '@'");
    return name;
  }

  /// Two colons, or brackets with one in them.
  bool is_ipv6() const {
    std::string_view const rest = text_.substr(at_);
    if (rest.starts_with('[')) return rest.substr(0, rest.find(']')).find(':') != std::string_view::npos;
    std::size_t const end = rest.find_first_of(", \t#[");
    std::string_view const word = rest.substr(0, end);
    return word.find(':') != word.rfind(':');
  }

  std::string ipv6() {
    bool const brackets = accept("[");
    std::string address(take(of_ipv6));
    if (accept("%")) address += "%" + std::string(take(of_names));  // an interface of this machine
    if (address.empty() || (brackets && !accept("]"))) expected("an address of IPv6, as in [::1]");
    return address;
  }

  /// Each part multiplies what there is.
  void host_parts(std::vector<std::string>& names) {
    std::size_t const from = at_;
    while (next_is(of_names) || next_is("[")) {
      std::vector<std::string> const parts =
          accept("[") ? ranges() : std::vector<std::string>{std::string(take(of_names))};
      if (parts.size() > most_hosts / names.size()) expected("at most " + std::to_string(most_hosts) + " hosts");
      std::vector<std::string> longer;
      longer.reserve(names.size() * parts.size());
      for (std::string const& name : names) {
        for (std::string const& part : parts) longer.push_back(name + part);
      }
      names = std::move(longer);
    }
    if (at_ == from) expected("a host");
  }

  std::vector<std::string> ranges() {
    std::vector<std::string> made;
    do {
      std::size_t const from = at_;
      std::size_t const first = number(0);
      std::size_t const width = at_ - from;  // as wide as the first: 08, 09, 10
      std::size_t const last = accept("-") ? number(0) : first;
      if (last < first) expected("a range that goes up, as in [01-03,07]");
      if (last - first >= most_hosts - made.size()) expected("at most " + std::to_string(most_hosts) + " hosts");
      for (std::size_t n = first; n <= last; ++n) {
        std::string const text = std::to_string(n);
        made.push_back(std::string(text.size() < width ? width - text.size() : 0, '0') + text);
      }
    } while (accept(","));
    if (!accept("]")) expected("a range of numbers, as in [01-03,07]");
    return made;
  }

  std::size_t number(std::size_t least) {
    std::size_t value = 0;
    char const* const from = text_.data() + at_;
    auto const [end, error] = std::from_chars(from, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || value > std::size_t{1} << 53) expected("a smaller number");
    if (error != std::errc{} || value < least)
      expected(least > 0 ? "a number of at least 1" : "a range of numbers, as in [01-03,07]");
    at_ += static_cast<std::size_t>(end - from);
    return value;
  }

  std::string_view const text_;
  std::size_t at_ = 0;
  std::string const where_;
};

}  // namespace

host host_of(std::string const& name) {
  host made{name, ""};
  made.address = made.machine();
  return made;
}

std::vector<host> read_hosts(std::string const& file) {
  std::string const named = "hosts file '" + file + "'";
  text_reader from(read_file(file, named));
  std::string line;
  std::vector<host> hosts;
  for (std::size_t number = 1; std::getline(from, line); ++number) {
    std::string_view text = line;
    if (number == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // an editor says that it is UTF-8
    line_parser(text, named + ", line " + std::to_string(number)).parse(hosts);
  }
  if (hosts.empty()) throw config_error(named + ": expected at least one host");
  return hosts;
}

std::vector<std::string> launch_command(std::string const& launch_template, std::string const& host, std::size_t node,
                                        std::string const& program, std::vector<std::string> const& arguments) {
  text_reader words(launch_template);
  std::vector<std::string> command;
  bool remote_shell = false;
  for (std::string word; words >> word;) {
    if (command.empty()) {
      std::string const name = word.substr(word.find_last_of('/') + 1);
      remote_shell = name == "ssh" || name == "rsh";
    }
    if (word == "{arguments}") {
      for (std::string const& a : arguments) command.push_back(remote_shell ? shell_word(a) : a);
      continue;
    }
    for (std::size_t open = word.find('{'); open != std::string::npos; open = word.find('{', open)) {
      std::size_t const close = word.find('}', open);
      bool const closed = close != std::string::npos;
      std::string const name = closed ? word.substr(open + 1, close - open - 1) : "";
      std::string value;
      if (name == "host") {
        value = host;
      } else if (name == "node") {
        value = std::to_string(node);
      } else if (name == "program") {
        value = remote_shell ? shell_word(program) : program;
      } else {
        throw config_error("launch command '" + launch_template +
                           "': expected {host}, {node}, {program} or {arguments}, got '" +
                           word.substr(open, closed ? close - open + 1 : close) + "'");
      }
      word.replace(open, close - open + 1, value);
      open += value.size();
    }
    command.push_back(word);
  }
  if (command.empty()) throw config_error("the launch command is empty");
  return command;
}

}  // namespace ovlp::base
