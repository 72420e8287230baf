// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>

#include <ovlp/instrument/last_structure.hpp>

/// Copies and fills by functions of the C library, as accesses: defined here, for one source file of a back end, as
/// doors.hpp defines those of other accesses. That file goes into a shared library, where memcpy is the C library's.
namespace ovlp::instrument {

/// By memcpy and memmove, before they copy.
inline void copied(void* to, void const* from, std::size_t bytes);
/// By memset.
inline void filled(void* to, std::size_t bytes);

__thread last_structure last{};  // NOLINT(misc-definitions-in-headers): for one source file

/// Whether the copy, or the fill, is that of a structure which has been counted; once.
inline bool is_last_stored(void const* to, std::size_t bytes) {
  if (last.stored != to || last.stored_bytes != bytes || bytes == 0) return false;
  last.stored = nullptr;
  return true;
}
inline bool is_last_copied(void const* to, void const* from, std::size_t bytes) {
  return last.loaded == from && last.loaded_bytes == bytes && is_last_stored(to, bytes);
}

}  // namespace ovlp::instrument

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses, misc-definitions-in-headers)
#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif
#define OVLP_DOOR extern "C" __attribute__((visibility("default")))

// The compilers leave these calls as they are; the linker's option --wrap=memcpy, and so on, sends them here. The
// checked forms are those of _FORTIFY_SOURCE, whose check the compiler has not been able to spare: it is done here.
OVLP_DOOR void* __wrap_memcpy(void* to, void const* from, std::size_t bytes) {
  if (!ovlp::instrument::is_last_copied(to, from, bytes)) ovlp::instrument::copied(to, from, bytes);
  return std::memcpy(to, from, bytes);
}
OVLP_DOOR void* __wrap_memmove(void* to, void const* from, std::size_t bytes) {
  if (!ovlp::instrument::is_last_copied(to, from, bytes)) ovlp::instrument::copied(to, from, bytes);
  return std::memmove(to, from, bytes);
}
OVLP_DOOR void* __wrap_memset(void* to, int value, std::size_t bytes) {
  if (!ovlp::instrument::is_last_stored(to, bytes)) ovlp::instrument::filled(to, bytes);
  return std::memset(to, value, bytes);
}
OVLP_DOOR void* __wrap___memcpy_chk(void* to, void const* from, std::size_t bytes, std::size_t room) {
  if (bytes > room) __builtin_trap();
  return __wrap_memcpy(to, from, bytes);
}
OVLP_DOOR void* __wrap___memmove_chk(void* to, void const* from, std::size_t bytes, std::size_t room) {
  if (bytes > room) __builtin_trap();
  return __wrap_memmove(to, from, bytes);
}
OVLP_DOOR void* __wrap___memset_chk(void* to, int value, std::size_t bytes, std::size_t room) {
  if (bytes > room) __builtin_trap();
  return __wrap_memset(to, value, bytes);
}
// Clang's from 15 on.
OVLP_DOOR void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) { return __wrap_memcpy(to, from, bytes); }
OVLP_DOOR void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
  return __wrap_memmove(to, from, bytes);
}
OVLP_DOOR void* __tsan_memset(void* to, int value, std::size_t bytes) { return __wrap_memset(to, value, bytes); }

#undef OVLP_DOOR
#pragma GCC diagnostic pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses, misc-definitions-in-headers)
