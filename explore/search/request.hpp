// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "search/moment.hpp"
#include "search/outcome.hpp"
#include "search/strategy.hpp"

namespace ovlp::explore {

// What `ovlp explore` and a program that serves its requests tell one another: a line of JSON each way for each run.

/// A run that is asked for.
struct request {
  enum class order_type : std::uint8_t { random, priorities, given, path };
  order_type order = order_type::given;
  std::uint64_t seed = 0;     ///< random and priorities
  std::size_t depth = 0;      ///< priorities
  std::size_t length = 0;     ///< priorities
  interleaving differs = {};  ///< given
  tree_path path = {};        ///< path
  bool moments = false;       ///< the answer has them whole; else of each what was chosen
  bool texts = false;         ///< the answer has them, and objects
  bool is_expected = false;   ///< results of later runs are compared with those of this one
  double tolerance = 0;       ///< relative, of floating-point numbers in results
  std::size_t most_choices = 100'000;
  double most_s = 10;  ///< of the run, in real time
};

struct answer {
  explore::outcome outcome;
  explore::moments moments = {};
  std::vector<std::pair<std::uint64_t, std::string>> texts = {};  ///< of names
  /// That operations have posted or returned, in the order of the run: names and hashes.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> objects = {};
};

std::unique_ptr<strategy> make_strategy(request const& asked);

std::string text_of(request const& asked);
std::string text_of(answer const& given);
// Errors: config_error for what is none.
request read_request(std::string const& line);
answer read_answer(std::string const& line);

}  // namespace ovlp::explore
