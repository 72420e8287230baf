// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/request.hpp"

namespace ovlp::explore {

/// Makes runs of one program, one at a time.
using runner = std::function<answer(request const&)>;

struct exploration_options {
  enum class strategy_type : std::uint8_t {
    mixed,       ///< random and priorities in turn
    random,      ///< each choice as likely
    priorities,  ///< priority_order, of depth 2 to 5 in turn
    exhaustive,  ///< all, as far as they are not the same but for the order of what is independent
  };
  strategy_type strategy = strategy_type::mixed;
  std::size_t runs = 0;  ///< 0: no bound
  double seconds = 0;    ///< 0: no bound
  std::uint64_t seed = 1;
  std::size_t most_choices = 100'000;
  double most_s = 10;    ///< of one run
  double tolerance = 0;  ///< relative, of floating-point numbers in results
};

/// A run that failed.
struct finding {
  std::string failure;
  std::uint64_t run = 0;                ///< the how-manieth
  double after_s = 0;                   ///< since the search began
  std::size_t held_back = 0;            ///< events, before it was shrunk
  bool plain = false;                   ///< it fails in the plain order
  bool again = true;                    ///< it has failed again in the same order
  interleaving differs = {};            ///< what is left of it
  std::vector<std::string> story = {};  ///< a line for each
  /// The first object that is another one than in the plain order: which operation gives it. Empty: none, or it is not
  /// known.
  std::string first_other = {};
};

struct exploration {
  std::size_t runs = 0;
  std::size_t interleavings = 0;                  ///< different ones
  std::size_t choices = 0;                        ///< of all runs
  std::size_t plain_choices = 0;                  ///< of a run in the plain order
  std::vector<std::uint64_t> plain_results = {};  ///< there: hashes
  std::size_t pairs = 0;                          ///< of operations of one DPS thread
  std::size_t both_orders = 0;                    ///< of these, that have been seen in both orders
  double seconds = 0;
  bool all = false;        ///< exhaustive, and at its end; or there is but one order
  bool one_order = false;  ///< nowhere was there more than one thing that might happen
  std::optional<finding> found = {};
};

/// Runs a program in many interleavings, by all `runners` at once, a thread each, until one fails beside the plain
/// order or the bounds are reached; what fails is shrunk. `show`: called now and then, by one thread at a time. Errors:
/// config_error if two runs in the plain order are not the same; what runners throw.
exploration explore(exploration_options const& how, std::vector<runner> const& runners,
                    std::function<void(exploration const&)> const& show = {});

/// Shrinks a run that fails in the plain order but for `differs`, and tells its story. `plain`: the answer there, with
/// texts.
finding shrink_and_tell(runner const& run, answer const& plain, request const& fails);

}  // namespace ovlp::explore
