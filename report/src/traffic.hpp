// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <ovlp/records/record.hpp>
#include <ovlp/records/run_totals.hpp>

#include "columns.hpp"

namespace ovlp::report {

/// What went between nodes, and along the edges of graphs.
class traffic {
 public:
  /// `from`, `to`: operations of all graphs; none: the result.
  void post(post_record const& r, std::uint32_t from, std::optional<std::uint32_t> to);
  /// After the post of its object.
  void send(send_record const& r);

  // Sums of them.
  void posted(std::uint32_t from, std::uint32_t port, std::optional<std::uint32_t> to, std::uint64_t objects);
  void sent(std::uint32_t source, std::uint32_t destination, run_totals::messages const& what);

  nlohmann::ordered_json pack_pairs(columns& into) const;
  nlohmann::ordered_json edges() const;

 private:
  struct pair {
    double bytes = 0;
    std::uint32_t objects = 0, controls = 0;
  };
  struct edge {
    std::uint64_t objects = 0;   ///< that were posted
    std::uint64_t messages = 0;  ///< of them, to another node
    std::uint64_t bytes = 0;     ///< of those
  };

  std::map<std::pair<std::uint32_t, std::uint32_t>, pair> pairs_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::optional<std::uint32_t>>, edge> edges_;
  std::unordered_map<object_key, edge*> edge_of_object_;
};

}  // namespace ovlp::report
