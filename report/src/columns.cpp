// SPDX-License-Identifier: BSD-3-Clause
#include "columns.hpp"

#include <zlib.h>

#include <bit>

#include <nlohmann/json.hpp>

#include <ovlp/base/expects.hpp>

namespace ovlp::report {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string base64(std::string const& bytes) {
  static constexpr char const* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  auto const at = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t const three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text += digits[three >> 18];
    text += digits[three >> 12 & 63];
    text += i + 1 < bytes.size() ? digits[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? digits[three & 63] : '=';
  }
  return text;
}

std::string deflated(std::string const& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  int const status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<Bytef const*>(bytes.data()), bytes.size(), Z_DEFAULT_COMPRESSION);
  base::expects(status == Z_OK, "there is room for what is compressed");
  packed.resize(size);
  return packed;
}

}  // namespace

nlohmann::ordered_json columns::add(std::string const& type, void const* data, std::size_t count, std::size_t bytes) {
  auto const* const from = static_cast<char const*>(data);
  std::string regrouped(count * bytes, '\0');
  for (std::size_t byte = 0; byte < bytes; ++byte)
    for (std::size_t i = 0; i < count; ++i) regrouped[byte * count + i] = from[i * bytes + byte];
  packed_.push_back(base64(deflated(regrouped)));
  return {{"column", packed_.size() - 1}, {"type", type}, {"count", count}};
}

}  // namespace ovlp::report
