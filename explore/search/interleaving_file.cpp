// SPDX-License-Identifier: BSD-3-Clause
#include "search/interleaving_file.hpp"

#include <charconv>
#include <cstdio>
#include <optional>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>

namespace ovlp::explore {
namespace {

constexpr char const* version = "ovlp interleaving 1";

std::string hexadecimal(std::uint64_t name) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(name));
  return text;
}

std::optional<std::uint64_t> name_of(std::string const& text) {
  std::uint64_t name = 0;
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), name, 16);
  if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return name;
}

std::uint64_t read_name(base::json_object& of, std::string const& key) {
  auto const name = name_of(of.text(key));
  if (!name) of.fail(of.path(key), "a name, 16 hexadecimal digits", of.at(key));
  return *name;
}

}  // namespace

interleaving_file read_interleaving_file(std::string const& file) {
  nlohmann::json const all = base::read_json(file);
  base::json_object of(all, file);
  interleaving_file read;
  if (of.text("format") != version) of.fail("format", std::string("\"") + version + "\"", of.at("format"));
  read.failure = of.text("failure");
  for (nlohmann::json const& word : of.at("command")) {
    if (!word.is_string()) of.fail("command", "texts", word);
    read.command.push_back(word.get<std::string>());
  }
  read.most_choices = of.count("most_choices", 0);
  for (nlohmann::json const& one : of.at("plain_results")) {
    auto const name = one.is_string() ? name_of(one.get<std::string>()) : std::nullopt;
    if (!name) of.fail("plain_results", "names of 16 hexadecimal digits", one);
    read.plain_results.push_back(*name);
  }
  bool const plain = of.at("held_back") == nlohmann::json::array();  // a program that fails in the plain order, too
  for (base::json_object& held : plain ? std::vector<base::json_object>() : of.objects("held_back")) {
    read.story.push_back(held.text("story"));
    read.differs.push_back({read_name(held, "then"), read_name(held, "first")});
    held.end();
  }
  of.end();
  return read;
}

void write_interleaving_file(std::string const& file, interleaving_file const& what) {
  nlohmann::ordered_json all{
      {"format", version}, {"command", what.command}, {"failure", what.failure}, {"most_choices", what.most_choices}};
  auto& results = all["plain_results"] = nlohmann::ordered_json::array();
  for (std::uint64_t const result : what.plain_results) results.push_back(hexadecimal(result));
  auto& held = all["held_back"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < what.differs.size(); ++i) {
    held.push_back({{"story", what.story[i]},
                    {"then", hexadecimal(what.differs[i].then)},
                    {"first", hexadecimal(what.differs[i].first)}});
  }
  base::write_output(file, base::json_text(all) + "\n");
}

}  // namespace ovlp::explore
