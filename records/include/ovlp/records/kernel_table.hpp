// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/container_hash/hash.hpp>

namespace ovlp {

/// What is known of kernels, by name and sizes. A kernel that is known is found without allocation; one of those that
/// were asked for last, mostly without hashing.
template <class Value>
class kernel_table {
 public:
  /// Made when it is first asked for; stays where it is.
  Value& operator()(std::string_view kernel, std::span<std::int64_t const> sizes) {
    view const wanted{kernel, sizes};
    entry*& last = last_[place_of(wanted)];
    if (last == nullptr || !equal()(last->first, wanted)) {
      auto found = values_.find(wanted);
      if (found == values_.end())
        found = values_.try_emplace({std::string(kernel), {sizes.begin(), sizes.end()}}).first;
      last = &*found;
    }
    return last->second;
  }
  /// Calls `function(name, sizes, value)` for each, in no particular order.
  template <class Function>
  void for_each(Function const& function) {
    for (auto& [of, value] : values_) function(of.name, of.sizes, value);
  }

 private:
  struct key {
    std::string name;
    std::vector<std::int64_t> sizes;
  };
  struct view {
    view(std::string_view n, std::span<std::int64_t const> s) : name(n), sizes(s) {}
    view(key const& of) : name(of.name), sizes(of.sizes) {}  // NOLINT(google-explicit-constructor): a view of a key
    std::string_view name;
    std::span<std::int64_t const> sizes;
  };
  struct hash {
    using is_transparent = void;
    std::size_t operator()(view const& of) const {
      std::size_t mixed = std::hash<std::string_view>()(of.name);
      boost::hash_range(mixed, of.sizes.begin(), of.sizes.end());
      return mixed;
    }
  };
  struct equal {
    using is_transparent = void;
    bool operator()(view const& a, view const& b) const {
      return a.name == b.name && std::ranges::equal(a.sizes, b.sizes);
    }
  };
  using entry = std::pair<key const, Value>;
  /// Where a kernel is among the last ones. Kernels of a program differ in their names' ends, or in the sizes.
  static std::size_t place_of(view const& of) {
    std::size_t mixed = of.name.empty() ? 0 : static_cast<unsigned char>(of.name.back()) + 7 * of.name.size();
    for (std::int64_t const size : of.sizes) mixed = 5 * mixed + static_cast<std::size_t>(size);
    return mixed * 0x9e3779b97f4a7c15u >> 60;
  }

  std::unordered_map<key, Value, hash, equal> values_;
  std::array<entry*, 16> last_{};  ///< found, by place_of
};

}  // namespace ovlp
