// SPDX-License-Identifier: BSD-3-Clause
// One walk over the parts of a data object, and its visitors: what writes (writer.hpp), reads (reader.hpp), counts
// bytes, finds memory, compares and makes digests (here). So none of them can disagree with another about what an
// object is made of, and a new kind of container is added in one place.
//
// A type is told by its `shape` (data_object.hpp). The walk is made by the compiler for each type and visitor, without
// virtual functions; its depth is that of the type. What is the same bytes in memory and on the wire, such as a
// std::vector<double> or a struct of two ints, is one block for the visitor.
//
// What is written of each kind, in the machine's own byte order (a run of machines that differ is refused):
//   scalar                  its sizeof bytes
//   record, array           its parts one after another, without padding
//   maybe                   1 byte, 0 or 1; then its value if there is one
//   choice                  4 bytes, the index of the alternative; then its value
//   sequence, associative   8 bytes, the number of elements; then each. An element that has no bytes is written as one
//   bits                    8 bytes, the number of elements; then a byte for each
//   buffer                  8 bytes, the number of elements; then they, which travel apart from 1024 bytes on
#pragma once

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/flowgraph/data_object.hpp>

namespace ovlp {
namespace detail {

/// A buffer of this size or more travels in the bulk part of a message, beside the objects that refer to it.
inline constexpr std::size_t bulk_threshold_bytes = 1024;

/// Does its memory have bytes that are no part of its value, though a scalar? (x87: 10 of 16 bytes count.)
template <class T>
inline constexpr bool is_padded = std::is_same_v<T, long double>&& std::numeric_limits<T>::digits == 64;
template <class T>
inline constexpr bool is_padded<T const> = is_padded<T>;
template <class T>
inline constexpr bool is_padded<std::complex<T>> = is_padded<T>;
template <class T, class Period>
inline constexpr bool is_padded<std::chrono::duration<T, Period>> = is_padded<T>;

/// The fewest bytes that a `T` can be written as.
template <class T>
consteval std::size_t least_bytes() {
  using s = shape<T>;
  if constexpr (s::what == kind::scalar) {
    return sizeof(T);
  } else if constexpr (s::what == kind::array) {
    return std::tuple_size_v<T> * least_bytes<typename T::value_type>();
  } else if constexpr (s::what == kind::record) {
    return []<class... Part>(parts_list<Part...>) {
      return (std::size_t{0} + ... + least_bytes<Part>());
    }(typename s::parts{});
  } else if constexpr (s::what == kind::maybe) {
    return sizeof(bool);
  } else if constexpr (s::what == kind::choice) {
    return sizeof(std::uint32_t) +
           []<class... Part>(parts_list<Part...>) { return std::min({least_bytes<Part>()...}); }(typename s::parts{});
  } else {
    return sizeof(std::uint64_t);
  }
}

/// Is a `T` in memory the same bytes as its parts written one after the other? Then it is written, read and compared
/// as one block, and so are contiguous ranges of it. A struct with padding is not: what stands there is no value.
template <class T>
consteval bool is_packed() {
  using s = shape<T>;
  auto all = []<class... Part>(parts_list<Part...>) { return (is_packed<Part>() && ...); };
  if constexpr (!is_raw<T>()) {
    return false;
  } else if constexpr (s::what == kind::scalar) {
    return !is_padded<T>;
  } else {
    return all(typename s::parts{}) && least_bytes<T>() == sizeof(T);
  }
}

/// The parts of a record as a tuple of references, whatever it is: aggregate, std::tuple or std::pair.
template <class T>
constexpr auto members(T& record) {
  if constexpr (is_tuple_like<T>) {
    return std::apply([](auto&... member) { return std::tie(member...); }, record);
  } else {
    return fields(record);
  }
}

/// Goes through an object, part by part; or through several of the same type in step, as a comparison needs it.
///
/// This is the only place that knows how containers are made of their parts. What happens to the parts is the
/// visitor's: it writes, reads, counts or compares. A visitor has
///   scalar(x, same...)        one number, also the sizes, flags and indices that a container needs
///   block(n, x, same...)      n packed elements, by pointers
///   elements(x, same...)      the elements of a buffer, and how many
/// which return false to end the walk. If `fills` is true the visitor puts values into the object instead of looking
/// at them, and also has
///   expect(n, least)          refuses a size n when not even `least` bytes for each element can follow
///   require(fact, text)       refuses with `text` unless `fact`
/// and one for which the order of a hash table means nothing has unordered(x, same...).
template <class Visitor, class T, class... Same>
bool walk(Visitor& visitor, T& x, Same&... same);

/// One of the elements of a container: writes one byte where an element has none, so that no size can be a lie.
template <class Visitor, class T, class... Same>
bool walk_element(Visitor& visitor, T& x, Same&... same) {
  if constexpr (least_bytes<T>() == 0) {
    std::uint8_t mark = 0;
    return visitor.scalar(mark, (static_cast<void>(same), mark)...);
  } else {
    return walk(visitor, x, same...);
  }
}

/// So many elements, from these iterators on.
template <class Visitor, class First, class... Same>
bool walk_range(Visitor& visitor, std::size_t size, First x, Same... same) {
  for (; size > 0; --size) {
    if (!walk_element(visitor, *x, *same...)) return false;
    ++x;
    (static_cast<void>(++same), ...);
  }
  return true;
}

/// The parts of a record, up to the first for which the visitor returns false.
template <class Visitor, std::size_t... I, class... Members>
bool walk_members(Visitor& visitor, std::index_sequence<I...> /*members*/, Members const&... of) {
  auto walk_one = [&](auto i) { return walk(visitor, std::get<decltype(i)::value>(of)...); };
  return (walk_one(std::integral_constant<std::size_t, I>{}) && ...);
}

/// The value of a variant that holds alternative `index`; a visitor that fills makes it hold that one first.
template <std::size_t I = 0, class Visitor, class T, class... Same>
bool walk_alternative(Visitor& visitor, std::size_t index, T& x, Same&... same) {
  if constexpr (I == std::variant_size_v<std::remove_const_t<T>>) {
    throw std::bad_variant_access{};  // without a value, by an exception in the past
  } else if (index != I) {
    return walk_alternative<I + 1>(visitor, index, x, same...);
  } else {
    if constexpr (Visitor::fills) x.template emplace<I>();
    return walk(visitor, *std::get_if<I>(&x), *std::get_if<I>(&same)...);
  }
}

/// Elements one by one, since keys can not be changed where they stand. A key that a map or set can have only once,
/// but that comes twice, is an error of whoever wrote it.
template <class Visitor, class Container>
bool fill_associative(Visitor& visitor, std::size_t size, Container& x) {
  x.clear();
  for (std::size_t i = 1; i <= size; ++i) {
    element<Container> one{};
    if (!walk_element(visitor, one)) return false;
    x.insert(x.end(), std::move(one));
    visitor.require(x.size() == i, "a key occurs twice");
  }
  return true;
}

template <class Visitor, class T, class... Same>
bool walk(Visitor& visitor, T& x, Same&... same) {
  constexpr kind what = shape<T>::what;
  if constexpr (what == kind::unsupported) {
    return false;  // a compile error by now: spares the reader of it more of them

  } else if constexpr (least_bytes<T>() == 0) {
    return true;  // all values are the same

  } else if constexpr (is_packed<T>()) {
    return visitor.block(1, std::addressof(x), std::addressof(same)...);

  } else if constexpr (what == kind::scalar) {
    return visitor.scalar(x, same...);

  } else if constexpr (what == kind::buffer) {
    return visitor.elements(x, same...);

  } else if constexpr (what == kind::record) {
    using all = std::make_index_sequence<std::tuple_size_v<decltype(members(x))>>;
    return walk_members(visitor, all{}, members(x), members(same)...);

  } else if constexpr (what == kind::array) {
    return walk_range(visitor, x.size(), x.begin(), same.begin()...);

  } else if constexpr (what == kind::maybe) {
    bool present = static_cast<bool>(x);
    if (!visitor.scalar(present, static_cast<bool>(same)...)) return false;
    if constexpr (Visitor::fills) {
      x = T{};
      if constexpr (requires { x.emplace(); }) {
        if (present) x.emplace();
      } else {
        if (present) x = std::make_unique<typename T::element_type>();
      }
    }
    return !present || walk(visitor, *x, *same...);

  } else if constexpr (what == kind::choice) {
    auto index = static_cast<std::uint32_t>(x.index());
    if (!visitor.scalar(index, static_cast<std::uint32_t>(same.index())...)) return false;
    if constexpr (Visitor::fills) visitor.require(index < std::variant_size_v<T>, "no such alternative of a variant");
    return walk_alternative(visitor, index, x, same...);

  } else {
    std::uint64_t size = x.size();
    if (!visitor.scalar(size, std::uint64_t{same.size()}...)) return false;
    if constexpr (Visitor::fills) visitor.expect(size, std::max(least_bytes<element<T>>(), std::size_t{1}));

    if constexpr (what == kind::associative) {
      if constexpr (Visitor::fills) {
        return fill_associative(visitor, size, x);
      } else if constexpr (requires {
                             x.hash_function();
                             visitor.unordered(x, same...);
                           }) {
        return visitor.unordered(x, same...);
      } else {
        return walk_range(visitor, size, x.begin(), same.begin()...);
      }
    } else {
      if constexpr (Visitor::fills) x.resize(size);
      if constexpr (what == kind::bits) {
        for (std::size_t i = 0; i < size; ++i) {
          bool bit = x[i];
          if (!visitor.scalar(bit, bool{same[i]}...)) return false;
          if constexpr (Visitor::fills) x[i] = bit;
        }
        return true;
      } else if constexpr (is_packed<element<T>>() && requires { x.data(); }) {
        return visitor.block(size, x.data(), same.data()...);
      } else {
        return walk_range(visitor, size, x.begin(), same.begin()...);
      }
    }
  }
}

/// The visitor that counts what would be written.
struct byte_counter {
  static constexpr bool fills = false;
  std::size_t bytes = 0;

  template <class T>
  bool scalar(T const& /*x*/) {
    bytes += sizeof(T);
    return true;
  }
  template <class T>
  bool block(std::size_t n, T const* /*first*/) {
    bytes += n * sizeof(T);
    return true;
  }
  template <class T>
  bool elements(buffer<T> const& x) {
    bytes += sizeof(std::uint64_t) + x.size_bytes();
    return true;
  }
};

/// The visitor that finds what an object takes in memory. Elements of buffers are told apart, for others may share
/// them.
struct memory_finder : byte_counter {
  std::vector<memory_extent> shared;

  template <class T>
  bool elements(buffer<T> const& x) {
    if (!x.empty()) shared.push_back(x.extent());
    return true;
  }
};

/// A scalar that is padded, without what stands there: to a visitor that looks at bytes.
template <class Visitor, class T, class... Same>
bool visit_padded(Visitor& visitor, T const& x, Same const&... same) {
  if constexpr (requires { x.real(); }) {
    return visitor.scalar(x.real(), same.real()...) && visitor.scalar(x.imag(), same.imag()...);
  } else if constexpr (requires { x.count(); }) {
    return visitor.scalar(x.count(), same.count()...);
  } else {
    return visitor.bytes(10, &x, &same...);
  }
}

/// The visitor that compares two objects.
struct comparer {
  static constexpr bool fills = false;

  template <class T>
  bool scalar(T const& x, T const& y) {
    if constexpr (is_padded<T>) {
      return visit_padded(*this, x, y);
    } else {
      return bytes(sizeof(T), &x, &y);
    }
  }
  template <class T>
  bool block(std::size_t n, T const* x, T const* y) {
    return n == 0 || bytes(n * sizeof(T), x, y);
  }
  static bool bytes(std::size_t n, void const* x, void const* y) { return std::memcmp(x, y, n) == 0; }
  template <class T>
  bool elements(buffer<T> const& x, buffer<T> const& y) {
    if (x.size() != y.size()) return false;
    if (x.same_storage(y)) return true;
    if constexpr (is_packed<T>()) {
      return block(x.size(), x.data(), y.data());
    } else {
      return walk_range(*this, x.size(), x.begin(), y.begin());
    }
  }
  /// Equal keys stand side by side: compares each run of them in any order. A key that is not equal to itself can not
  /// be found.
  template <class T>
  bool unordered(T const& x, T const& y) {  // NOLINT(bugprone-easily-swappable-parameters): same(x, y) is same(y, x)
    auto alike = [this](auto const& a, auto const& b) { return walk_element(*this, a, b); };
    for (auto it = x.begin(); it != x.end();) {
      auto const& key = key_of<T>(*it);
      auto const [first, last] = x.equal_range(key);
      auto const [other_first, other_last] = y.equal_range(key);
      if (first == last || !std::is_permutation(first, last, other_first, other_last, alike)) return false;
      it = last;
    }
    return true;
  }

 private:
  template <class Container>
  static typename Container::key_type const& key_of(typename Container::value_type const& entry) {
    if constexpr (requires { typename Container::mapped_type; }) {
      return entry.first;
    } else {
      return entry;
    }
  }
};

/// The visitor that makes a digest: objects that are the same have the same one, others hardly ever.
struct digester {
  static constexpr bool fills = false;
  std::uint64_t digest = 0x9e3779b97f4a7c15u;

  template <class T>
  bool scalar(T const& x) {
    if constexpr (is_padded<T>) {
      return visit_padded(*this, x);
    } else {
      return bytes(sizeof(T), &x);
    }
  }
  template <class T>
  bool block(std::size_t n, T const* first) {
    return bytes(n * sizeof(T), first);
  }
  bool bytes(std::size_t n, void const* from) {
    auto const* next = static_cast<std::byte const*>(from);
    while (n > 0) {
      std::size_t const now = std::min(n, sizeof(std::uint64_t));
      std::uint64_t word = 0;
      std::memcpy(&word, next, now);
      add(word);
      next += now;
      n -= now;
    }
    return true;
  }
  template <class T>
  bool elements(buffer<T> const& x) {
    scalar(std::uint64_t{x.size()});
    if constexpr (is_packed<T>()) {
      return block(x.size(), x.data());
    } else {
      return walk_range(*this, x.size(), x.begin());
    }
  }
  template <class T>
  bool unordered(T const& x) {
    std::uint64_t sum = 0;
    for (auto const& one : x) {
      digester alone;
      walk_element(alone, one);
      sum += alone.digest;
    }
    return scalar(sum);
  }

 private:
  /// Each step can be undone, so no difference is lost in a later one.
  void add(std::uint64_t word) {
    digest = (digest ^ word) * 0xff51afd7ed558ccdu;
    digest ^= digest >> 32;
  }
};

/// Compares objects that are in different processes. Cost: one pass. Errors: as byte_count.
template <class T>
std::uint64_t digest_of(T const& object) {
  require_data_object<T>();
  digester made;
  walk(made, object);
  return made.digest;
}

}  // namespace detail

/// What a writer would write of `object`: its inline and its bulk part.
///
/// It is what a simulation transfers, and what the summary's `bytes` adds up in both backends.
/// Units: bytes, headers not included.
/// Errors: std::bad_variant_access for a variant that lost its value in an exception.
/// Cost: one pass over containers; no copy, no allocation; neither numbers nor the elements of buffers are touched, so
///       a buffer without memory stays without.
/// Source: the paper, section 4 (a serializer that counts instead of copying).
template <class T>
std::size_t byte_count(T const& object) {
  require_data_object<T>();
  detail::byte_counter counter;
  detail::walk(counter, object);
  return counter.bytes;
}

/// Are `x` and `y` the same, part by part, down to the bits of their numbers?
///
/// So a NaN is the same as itself, and -0.0 is not 0.0. Pointers are the same if both point to the same value or both
/// are null, buffers if their elements are the same; unordered containers have no order here either, but find
/// keys by their own equality, so that one with a NaN as key is not the same as itself.
/// Errors: std::bad_variant_access as byte_count.
/// Cost: up to the first difference, like a comparison by hand. Buffers that share their elements are not looked into.
template <class T>
bool same(T const& x, T const& y) {
  require_data_object<T>();
  detail::comparer comparer;
  return detail::walk(comparer, x, y);
}

}  // namespace ovlp
