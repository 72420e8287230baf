// SPDX-License-Identifier: BSD-3-Clause
#include "world/kept_object.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <span>

#include <ovlp/flowgraph/reader.hpp>
#include <ovlp/flowgraph/writer.hpp>

#include "search/choice.hpp"

namespace ovlp::explore {

std::uint64_t kept_object::hash() const {
  std::uint64_t hash = bytes.size();
  for (std::size_t done = 0; done < bytes.size(); done += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + done, std::min(bytes.size() - done, sizeof word));
    hash = mix(hash, word);
  }
  return hash;
}

kept_object keep(object_type const& type, void const* object) {
  writer to;
  type.write(to, object);
  kept_object kept{{}, to.inline_bytes()};
  for (std::span<std::byte const> const piece : to.segments()) {
    kept.bytes.insert(kept.bytes.end(), piece.begin(), piece.end());
  }
  return kept;
}

void with_object(object_type const& type, kept_object const& kept, std::function<void(void* object)> const& use) {
  auto const [inline_part, bulk_part] = kept.parts();
  reader from(inline_part, bulk_part.size());
  std::unique_ptr<std::byte, void (*)(std::byte*)> const memory(
      static_cast<std::byte*>(::operator new (type.size, std::align_val_t{16})),
      [](std::byte* given) { ::operator delete (given, std::align_val_t{16}); });
  type.read(from, memory.get());
  std::unique_ptr<void, void (*)(void*) noexcept> const object(memory.get(), type.destroy);
  std::byte const* next = bulk_part.data();
  for (std::span<std::byte> const to : from.bulk()) {
    std::memcpy(to.data(), next, to.size());
    next += to.size();
  }
  use(object.get());
}

std::string difference(object_type const& type, kept_object const& expected, kept_object const& got, double tolerance,
                       same_result const& same) {
  if (same) {
    bool alike = false;
    try {
      with_object(type, expected,
                  [&](void* one) { with_object(type, got, [&](void* other) { alike = same(one, other); }); });
    } catch (std::exception const& thrown) {
      return std::string("could not be compared: the program's function threw: ") + thrown.what();
    }
    return alike ? "" : "is another one than in the plain order, as the program compares them";
  }
  object_difference const found = compare(type.layout(), expected.parts(), got.parts());
  if (!found.differs || (found.by_rounding && found.largest_relative <= tolerance)) return "";
  if (!found.by_rounding) return "is another one than in the plain order";
  constexpr double most_by_order = 1e-6;  // what another order of a sum may well do
  char text[240];
  std::snprintf(text, sizeof text, "differs from the plain order in floating-point numbers alone, by a relative %.1e%s",
                found.largest_relative,
                found.largest_relative <= most_by_order
                    ? ": as sums do that are taken in another order; --tolerance lets it pass"
                    : "");
  return text;
}

}  // namespace ovlp::explore
