// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace ovlp {

/// What a sink keeps of each call of the main program. Most records are of the same call as the one before, and find
/// its value at once. Thread: one at a time.
template <class Value>
class by_call {
 public:
  /// Made when it is first asked for; stays where it is until it is taken.
  Value& operator[](std::uint64_t call) {
    if (of_last_ == nullptr || last_ != call) {
      of_last_ = &values_[call];
      last_ = call;
    }
    return *of_last_;
  }
  /// Nothing of a call that has no value.
  std::optional<Value> take(std::uint64_t call) {
    auto found = values_.extract(call);
    if (found.empty()) return std::nullopt;
    of_last_ = nullptr;
    return std::move(found.mapped());
  }
  std::map<std::uint64_t, Value> take_all() {
    of_last_ = nullptr;
    return std::exchange(values_, {});
  }

 private:
  std::map<std::uint64_t, Value> values_;
  std::uint64_t last_ = 0;
  Value* of_last_ = nullptr;
};

}  // namespace ovlp
