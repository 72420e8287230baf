// SPDX-License-Identifier: BSD-3-Clause
#include "search/same_object.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <ovlp/base/expects.hpp>

namespace ovlp::explore {
namespace {

constexpr std::size_t bulk_bytes = 1024;  ///< from which on a buffer's elements are in the bulk part

/// A layout as a tree.
struct type {
  enum class kind_type : std::uint8_t {
    floating,
    complex,
    plain,
    text,
    sequence,
    associative,
    array,
    maybe,
    choice,
    record,
    buffer
  };
  kind_type kind = kind_type::plain;
  std::size_t bytes = 0;  ///< of a scalar; of a buffer's element, where it has padding
  std::size_t count = 0;  ///< of an array
  std::vector<type> parts = {};

  /// Written in the same number of bytes whatever the value is: that; else 0.
  std::size_t fixed_bytes() const {
    std::size_t sum = 0;
    switch (kind) {
      case kind_type::floating:
      case kind_type::complex:
      case kind_type::plain: return bytes;
      case kind_type::array: return count * parts[0].fixed_bytes();
      case kind_type::record:
        for (type const& part : parts) {
          if (part.fixed_bytes() == 0 && !part.is_empty()) return 0;
          sum += part.fixed_bytes();
        }
        return sum;
      default: return 0;
    }
  }
  bool is_empty() const {  // no value but one
    return (kind == kind_type::array && (count == 0 || parts[0].is_empty())) ||
           (kind == kind_type::record && std::ranges::all_of(parts, &type::is_empty));
  }
};

class layout_parser {
 public:
  explicit layout_parser(std::string const& text) : text_(text) {}
  type parse() {
    type made = one();
    base::require(at_ == text_.size(), "a layout ends where its type does");
    return made;
  }

 private:
  using kind_type = type::kind_type;
  char next() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::size_t number() {
    std::size_t value = 0;
    while (peek() >= '0' && peek() <= '9') value = 10 * value + static_cast<std::size_t>(next() - '0');
    return value;
  }
  void take(char expected) { base::require(next() == expected, "a layout is one of flowgraph/layout.hpp"); }
  type list(kind_type kind, char between, char end) {
    type made{kind};
    while (peek() != end) {
      made.parts.push_back(one());
      if (peek() == between) take(between);
    }
    take(end);
    return made;
  }

  type one() {
    char const first = peek();
    if (first >= '0' && first <= '9') {
      type made{kind_type::array, 0, number()};
      take('*');
      made.parts.push_back(one());
      return made;
    }
    switch (next()) {
      case 'f': return {kind_type::floating, number()};
      case 'z': return {kind_type::complex, number()};
      case 'i':
      case 'u': return {kind_type::plain, number()};
      case 'b':
      case 'c': return {kind_type::plain, 1};
      case 'e': return one();
      case 't':
        number();
        take('/');
        number();
        return one();
      case 's': return {kind_type::text};
      case '[': return list(kind_type::sequence, ',', ']');
      case '<': return list(kind_type::associative, ':', '>');
      case '?': return {kind_type::maybe, 0, 0, {one()}};
      case '(': return list(kind_type::choice, '|', ')');
      case '{': return list(kind_type::record, ',', '}');
      case '#': {
        type made{kind_type::buffer};
        std::size_t const before = at_;
        std::size_t const bytes = number();
        if (bytes > 0 && peek() == ':') {
          take(':');
          made.bytes = bytes;
        } else {
          at_ = before;
        }
        made.parts.push_back(one());
        if (made.bytes == 0) made.bytes = made.parts[0].fixed_bytes();
        return made;
      }
      default: base::require(false, "a layout is one of flowgraph/layout.hpp"); return {};
    }
  }

  std::string const& text_;
  std::size_t at_ = 0;
};

/// One of the two objects, as far as it has been read.
struct cursor {
  object_bytes left;

  std::byte const* take(std::size_t bytes, bool bulk = false) {
    auto& from = bulk ? left.bulk_part : left.inline_part;
    base::require(bytes <= from.size(), "an object has the bytes that its layout says");
    std::byte const* const taken = from.data();
    from = from.subspan(bytes);
    return taken;
  }
  template <class Number>
  Number read() {
    Number value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
};

class comparer {
 public:
  object_difference found;

  void compare(type const& of, cursor& a, cursor& b) {
    switch (of.kind) {
      case type::kind_type::floating: return compare_floating(of.bytes, a.take(of.bytes), b.take(of.bytes));
      case type::kind_type::complex:
        for (int part = 0; part < 2; ++part) compare_floating(of.bytes / 2, a.take(of.bytes / 2), b.take(of.bytes / 2));
        return;
      case type::kind_type::plain: return compare_bytes(of.bytes, a.take(of.bytes), b.take(of.bytes));
      case type::kind_type::text: {
        auto const size = a.read<std::uint64_t>(), other = b.read<std::uint64_t>();
        if (size != other) return differ();
        return compare_bytes(size, a.take(size), b.take(size));
      }
      case type::kind_type::record:
        for (type const& part : of.parts) compare(part, a, b);
        return;
      case type::kind_type::array:
        for (std::size_t i = 0; i < of.count; ++i) element(of.parts[0], a, b);
        return;
      case type::kind_type::maybe: {
        bool const there = a.read<bool>(), other = b.read<bool>();
        if (there != other) return differ();
        if (there) compare(of.parts[0], a, b);
        return;
      }
      case type::kind_type::choice: {
        auto const which = a.read<std::uint32_t>(), other = b.read<std::uint32_t>();
        if (which != other) return differ();
        return compare(of.parts.at(which), a, b);
      }
      case type::kind_type::sequence: {
        auto const size = a.read<std::uint64_t>(), other = b.read<std::uint64_t>();
        if (size != other) return differ();
        for (std::uint64_t i = 0; i < size && !over_; ++i) element(of.parts[0], a, b);
        return;
      }
      case type::kind_type::associative: return compare_associative(of, a, b);
      case type::kind_type::buffer: return compare_buffers(of, a, b);
    }
  }
  bool over() const { return over_; }

 private:
  /// What follows cannot be read in step any more.
  void differ() {
    found.differs = over_ = true;
    exact_ = true;
    found.by_rounding = false;
  }
  void compare_bytes(std::size_t bytes, std::byte const* a, std::byte const* b) {
    if (over_ || std::memcmp(a, b, bytes) == 0) return;
    found.differs = true;
    exact_ = true;
    found.by_rounding = false;
  }
  void compare_floating(std::size_t bytes, std::byte const* a, std::byte const* b) {
    auto const value = [bytes](std::byte const* from) -> long double {
      if (bytes == sizeof(float)) return read_as<float>(from);
      if (bytes == sizeof(double)) return read_as<double>(from);
      return read_as<long double>(from);
    };
    std::size_t const significant = bytes > 10 ? 10 : bytes;  // of a long double: the rest is padding
    if (over_ || std::memcmp(a, b, significant) == 0) return;
    long double const x = value(a), y = value(b);
    if (x == y || (std::isnan(x) && std::isnan(y))) return;  // zeros of both signs, and what is no number
    found.differs = true;
    found.by_rounding = !exact_;
    double const relative = static_cast<double>(std::fabs(x - y) / std::max(std::fabs(x), std::fabs(y)));
    found.largest_relative = std::max(found.largest_relative, std::isnan(relative) ? INFINITY : relative);
  }
  template <class Number>
  static long double read_as(std::byte const* from) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    return static_cast<long double>(number);
  }
  void element(type const& of, cursor& a, cursor& b) {
    if (of.is_empty()) {  // a byte stands for it
      a.take(1);
      b.take(1);
    } else {
      compare(of, a, b);
    }
  }

  /// The bytes of the next element; it goes over it by comparing it with itself.
  static std::span<std::byte const> next_element(type const& of, cursor& in) {
    std::span<std::byte const> const before = in.left.inline_part;
    cursor same = in;
    comparer none;
    for (type const& part : of.parts) none.element(part, in, same);
    return before.first(before.size() - in.left.inline_part.size());
  }
  /// In the order of their bytes. Elements with buffers of many bytes are compared in the order in which they come.
  void compare_associative(type const& of, cursor& a, cursor& b) {
    auto const size = a.read<std::uint64_t>(), other = b.read<std::uint64_t>();
    if (size != other) return differ();
    object_bytes const before_a = a.left, before_b = b.left;
    std::vector<std::span<std::byte const>> all_a, all_b;
    for (std::uint64_t i = 0; i < size; ++i) {
      all_a.push_back(next_element(of, a));
      all_b.push_back(next_element(of, b));
    }
    if (a.left.bulk_part.size() != before_a.bulk_part.size()) {
      cursor again_a{before_a}, again_b{before_b};
      for (std::uint64_t i = 0; i < size && !over_; ++i) {
        for (type const& part : of.parts) element(part, again_a, again_b);
      }
      return;
    }
    auto const by_bytes = [](auto const& x, auto const& y) { return std::ranges::lexicographical_compare(x, y); };
    std::ranges::sort(all_a, by_bytes);
    std::ranges::sort(all_b, by_bytes);
    for (std::uint64_t i = 0; i < size && !over_; ++i) {
      cursor one_a{{all_a[i], {}}}, one_b{{all_b[i], {}}};
      for (type const& part : of.parts) element(part, one_a, one_b);
    }
  }
  void compare_buffers(type const& of, cursor& a, cursor& b) {
    auto const size = a.read<std::uint64_t>(), other = b.read<std::uint64_t>();
    if (size != other) return differ();
    std::size_t const bytes = size * of.bytes;
    bool const bulk = bytes >= bulk_bytes;
    std::byte const *const from_a = a.take(bytes, bulk), *const from_b = b.take(bytes, bulk);
    bool const padded = of.parts[0].fixed_bytes() != of.bytes;
    if (padded) return compare_bytes(bytes, from_a, from_b);
    cursor one_a{{{from_a, bytes}, {}}}, one_b{{{from_b, bytes}, {}}};
    for (std::uint64_t i = 0; i < size && !over_; ++i) compare(of.parts[0], one_a, one_b);
  }

  bool exact_ = false;  ///< something else than a floating-point number differs
  bool over_ = false;
};

}  // namespace

object_difference compare(std::string const& layout, object_bytes const& one, object_bytes const& other) {
  bool const same =
      std::ranges::equal(one.inline_part, other.inline_part) && std::ranges::equal(one.bulk_part, other.bulk_part);
  if (same) return {};
  type const of = layout_parser(layout).parse();
  cursor a{one}, b{other};
  comparer all;
  all.compare(of, a, b);
  return all.found;
}

}  // namespace ovlp::explore
