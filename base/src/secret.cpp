// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/secret.hpp>

#include <sys/random.h>
#include <sys/types.h>

#include <array>
#include <cstddef>

#include <ovlp/base/error.hpp>

namespace ovlp::base {

std::string make_secret() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw io_error("the system gives no random bytes");
  std::string text;
  for (unsigned char byte : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool equal_secrets(std::string const& a, std::string const& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace ovlp::base
