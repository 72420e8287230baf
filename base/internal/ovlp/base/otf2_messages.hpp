// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ovlp::base {

/// What OTF2 says is wrong, which it would print. One at a time.
class otf2_messages {
 public:
  otf2_messages() { ::OTF2_Error_RegisterCallback(&keep, &first_); }
  otf2_messages(otf2_messages const&) = delete;
  otf2_messages& operator=(otf2_messages const&) = delete;
  ~otf2_messages() { ::OTF2_Error_RegisterCallback(nullptr, nullptr); }

  std::string const& first() const { return first_; }

 private:
  static OTF2_ErrorCode keep(void* user, char const*, std::uint64_t, char const*, OTF2_ErrorCode code,
                             char const* format, std::va_list arguments) {
    std::array<char, 300> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    auto& first = *static_cast<std::string*>(user);
    if (first.empty()) first = std::string(::OTF2_Error_GetDescription(code)) + ": " + text.data();
    return code;
  }
  std::string first_;
};

}  // namespace ovlp::base
