// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/communication_file.hpp>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/threads/caches.hpp>

namespace ovlp::shared_memory {
namespace {

using json = nlohmann::ordered_json;

constexpr char const* format_name = "ovlp communication 1";

using named_definition = base::named<definition>;
constexpr std::array definitions{named_definition{"relaxed", definition::relaxed},
                                 named_definition{"accurate", definition::accurate}};

/// Pairs that communicate, each once: [a, b, events].
json pairs_of(communication_matrix const& of) {
  json pairs = json::array();
  for (std::size_t a = 0; a < of.threads(); ++a)
    for (std::size_t b = a + 1; b < of.threads(); ++b)
      if (of(a, b) != 0) pairs.push_back({a, b, of(a, b)});
  return pairs;
}

json json_of(communication_phase const& of) {
  json made{{"name", of.name}, {"begin_s", of.begin_s}, {"end_s", of.end_s}, {"accesses", of.accesses}};
  if (of.of_kind.size() == kinds) {
    made["private_accesses"] = of.private_accesses;
    for (std::size_t s = 0; s < line_sources; ++s) made["lines_found"][std::string(source_names[s])] = of.found[s];
  }
  for (std::size_t k = 0; k < of.of_kind.size(); ++k) made[std::string(kind_names[k])] = pairs_of(of.of_kind[k]);
  return made;
}

communication_matrix read_pairs(base::json_object& from, std::string const& key, std::size_t threads) {
  communication_matrix made(threads);
  nlohmann::json const& pairs = from.at(key);
  if (!pairs.is_array()) from.fail(from.path(key), "a list of [thread, thread, events]", pairs);
  for (nlohmann::json const& pair : pairs) {
    bool const numbers = pair.is_array() && pair.size() == 3 && pair[0].is_number_unsigned() &&
                         pair[1].is_number_unsigned() && pair[2].is_number();
    bool const good = numbers && pair[0] < threads && pair[1] < threads && pair[0] != pair[1] &&
                      is_number_of_events(pair[2].get<double>()) && made(pair[0], pair[1]) == 0;
    if (!good)
      from.fail(from.path(key),
                "[thread, other thread, events], of " + std::to_string(threads) +
                    " threads, each pair once, events 0 or 1e-100 to 1e100",
                pair);
    made.add(pair[0], pair[1], pair[2]);
  }
  return made;
}

communication_phase read_phase(base::json_object& from, definition how, std::size_t threads) {
  communication_phase made;
  made.name = from.text("name");
  made.begin_s = from.number("begin_s", 0);
  made.end_s = from.number("end_s", made.begin_s);
  auto const of_each_thread = [&](std::string const& key, double least) {
    std::vector<double> numbers = from.numbers(key, least);
    if (numbers.size() != threads)
      from.fail(from.path(key), "a number for each of " + std::to_string(threads) + " threads", numbers);
    return numbers;
  };
  made.accesses = of_each_thread("accesses", 0);
  if (how == definition::accurate)
    made.private_accesses = of_each_thread("private_accesses", -1e18);  // fewer, once others access the same lines
  if (how == definition::accurate) {
    base::json_object found = from.object("lines_found");
    for (std::size_t s = 0; s < line_sources; ++s) made.found[s] = found.number(std::string(source_names[s]), 0);
    found.end();
  }
  for (std::size_t k = 0; k < kinds_of(how); ++k)
    made.of_kind.push_back(read_pairs(from, std::string(kind_names[k]), threads));
  from.end();
  return made;
}

/// Of a block or a cache.
std::uint64_t read_bytes(base::json_object& from, std::string const& key) {
  return static_cast<std::uint64_t>(std::min(from.number_above(key, 0), 1e15));
}

std::array<cache_level, cache_levels> read_caches(base::json_object& from) {
  std::array<cache_level, cache_levels> made{};
  std::vector<base::json_object> levels = from.objects("caches");
  if (levels.size() != cache_levels) from.fail(from.path("caches"), "three levels", from.at("caches"));
  for (std::size_t i = 0; i < cache_levels; ++i) {
    made[i].bytes = read_bytes(levels[i], "bytes");
    made[i].ways = static_cast<std::uint32_t>(levels[i].count("ways", 1));
    made[i].shared_by = static_cast<std::uint32_t>(levels[i].count("shared_by", 1));
    levels[i].end();
  }
  if (std::string const wrong = complaint_about(made); !wrong.empty())
    throw config_error(from.file() + ": caches: " + wrong);
  return made;
}

}  // namespace

std::string json_of(communication const& what) {
  bool const relaxed = what.how == definition::relaxed;
  json made{{"format", format_name},
            {"program", what.program},
            {"definition", definitions[relaxed ? 0 : 1].name},
            {"threads", what.threads()}};
  if (relaxed) made["block_bytes"] = what.block_bytes;
  else
    for (cache_level const& l : what.caches)
      made["caches"].push_back({{"bytes", l.bytes}, {"ways", l.ways}, {"shared_by", l.shared_by}});
  for (communication_phase const& phase : what.phases) made["phases"].push_back(json_of(phase));
  return base::json_text(made) + "\n";
}

communication read_communication(std::string const& file) {
  nlohmann::json const contents = base::read_json(file);
  base::json_object top(contents, file);
  if (std::string const format = top.text("format"); format != format_name)
    top.fail("format", std::string("\"") + format_name + "\"", format);
  communication made;
  made.program = top.text("program");
  made.how = top.choice("definition", definitions).value;
  std::size_t const threads = top.count("threads", 1);
  if (threads > most_threads) top.fail("threads", "at most " + std::to_string(most_threads), threads);
  if (made.how == definition::relaxed) {
    made.block_bytes = read_bytes(top, "block_bytes");
    if (!can_be_block(made.block_bytes)) top.fail("block_bytes", "64, 128, ... up to 1048576", made.block_bytes);
  } else {
    made.caches = read_caches(top);
  }
  for (base::json_object& phase : top.objects("phases")) made.phases.push_back(read_phase(phase, made.how, threads));
  if (made.phases.empty()) top.fail("phases", "one or more", top.at("phases"));
  top.end();
  return made;
}

}  // namespace ovlp::shared_memory
