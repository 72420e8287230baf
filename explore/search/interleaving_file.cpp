// SPDX-License-Identifier: BSD-3-Clause
#include "search/interleaving_file.hpp"

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::explore {
namespace {

constexpr char const* version = "ovlp interleaving 1";

std::uint64_t read_name(base::json_object& of, std::string const& key) {
  std::uint64_t name = 0;
  if (!base::read_hexadecimal(of.text(key), name)) of.fail(of.path(key), "a name, 16 hexadecimal digits", of.at(key));
  return name;
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
    std::uint64_t& name = read.plain_results.emplace_back();
    if (!one.is_string() || !base::read_hexadecimal(one.get<std::string>(), name))
      of.fail("plain_results", "names of 16 hexadecimal digits", one);
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
  for (std::uint64_t const result : what.plain_results) results.push_back(base::hexadecimal(result));
  auto& held = all["held_back"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < what.differs.size(); ++i) {
    held.push_back({{"story", what.story[i]},
                    {"then", base::hexadecimal(what.differs[i].then)},
                    {"first", base::hexadecimal(what.differs[i].first)}});
  }
  base::write_output(file, base::json_text(all) + "\n");
}

}  // namespace ovlp::explore
