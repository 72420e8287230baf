// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <ovlp/instrument/last_structure.hpp>

/// The functions that code compiled with -fsanitize=thread calls at its accesses to memory, in the place of the
/// sanitizer's own. This file defines them; a back end includes it in one source file, and defines there what they come
/// to, so that the compiler inlines it: the functions declared in ovlp::instrument. It must itself be compiled without
/// that option. Atomic accesses are performed here, for the compiler replaces them by these calls: always sequentially
/// consistent, which is at least what was asked for.
/// Each is inlined into the program where its objects are bitcode: then that file is linked as bitcode, too.
/// Thread: any, several at once, also before main().
/// Source: the calls are those of GCC 12 (gcc/sanitizer.def) and Clang 14 (ThreadSanitizer.cpp of LLVM).
namespace ovlp::instrument {

/// The program starts: called once or several times, before all others.
inline void started();
/// An access of 1, 2, 4 or 8 bytes at a multiple of their number.
inline void loaded_word(void const* at, std::size_t bytes);
inline void stored_word(void const* at, std::size_t bytes);
/// Any other.
inline void loaded(void const* at, std::size_t bytes);
inline void stored(void const* at, std::size_t bytes);
/// A structure, as a whole.
inline void loaded_range(void const* at, std::size_t bytes);
inline void stored_range(void const* at, std::size_t bytes);
/// A function, called from there.
inline void entered(void const* from);
inline void left();

}  // namespace ovlp::instrument

// Names and letter cases are the compilers'.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses, misc-definitions-in-headers)
#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif

#if defined(__clang__)  // always: else it refuses, since the caller is sanitized, and this is not
#define OVLP_DOOR extern "C" __attribute__((visibility("default"), used, always_inline))
#else
#define OVLP_DOOR extern "C" __attribute__((visibility("default"), used))
#endif

OVLP_DOOR void __tsan_init() { ovlp::instrument::started(); }
OVLP_DOOR void __tsan_func_entry(void* from) { ovlp::instrument::entered(from); }
OVLP_DOOR void __tsan_func_exit() { ovlp::instrument::left(); }

#define OVLP_ALIGNED(bytes)                                                                           \
  OVLP_DOOR void __tsan_read##bytes(void* at) { ovlp::instrument::loaded_word(at, bytes); }           \
  OVLP_DOOR void __tsan_write##bytes(void* at) { ovlp::instrument::stored_word(at, bytes); }          \
  OVLP_DOOR void __tsan_volatile_read##bytes(void* at) { ovlp::instrument::loaded_word(at, bytes); }  \
  OVLP_DOOR void __tsan_volatile_write##bytes(void* at) { ovlp::instrument::stored_word(at, bytes); } \
  OVLP_DOOR void __tsan_read_write##bytes(void* at) {                                                 \
    ovlp::instrument::loaded_word(at, bytes);                                                         \
    ovlp::instrument::stored_word(at, bytes);                                                         \
  }
OVLP_ALIGNED(1)
OVLP_ALIGNED(2)
OVLP_ALIGNED(4)
OVLP_ALIGNED(8)
#undef OVLP_ALIGNED

#define OVLP_SIZED(before, bytes)                                                                \
  OVLP_DOOR void __tsan_##before##read##bytes(void* at) { ovlp::instrument::loaded(at, bytes); } \
  OVLP_DOOR void __tsan_##before##write##bytes(void* at) { ovlp::instrument::stored(at, bytes); }
#define OVLP_READ_AND_WRITTEN(before, bytes)                    \
  OVLP_DOOR void __tsan_##before##read_write##bytes(void* at) { \
    ovlp::instrument::loaded(at, bytes);                        \
    ovlp::instrument::stored(at, bytes);                        \
  }
OVLP_SIZED(, 16)
OVLP_SIZED(volatile_, 16)
OVLP_READ_AND_WRITTEN(, 16)
#define OVLP_UNALIGNED(bytes)            \
  OVLP_SIZED(unaligned_, bytes)          \
  OVLP_SIZED(unaligned_volatile_, bytes) \
  OVLP_READ_AND_WRITTEN(unaligned_, bytes)
OVLP_UNALIGNED(2)
OVLP_UNALIGNED(4)
OVLP_UNALIGNED(8)
OVLP_UNALIGNED(16)
#undef OVLP_UNALIGNED
#undef OVLP_READ_AND_WRITTEN
#undef OVLP_SIZED

#if defined(OVLP_IN_PROGRAM)
OVLP_DOOR void __tsan_read_range(void* at, std::size_t bytes) { ovlp::instrument::loaded_range(at, bytes); }
OVLP_DOOR void __tsan_write_range(void* at, std::size_t bytes) { ovlp::instrument::stored_range(at, bytes); }
#else
OVLP_DOOR void __tsan_read_range(void* at, std::size_t bytes) {
  ovlp::instrument::last.loaded = at;
  ovlp::instrument::last.loaded_bytes = bytes;
  ovlp::instrument::loaded_range(at, bytes);
}
OVLP_DOOR void __tsan_write_range(void* at, std::size_t bytes) {
  ovlp::instrument::last.stored = at;
  ovlp::instrument::last.stored_bytes = bytes;
  ovlp::instrument::stored_range(at, bytes);
}
#endif
OVLP_DOOR void __tsan_vptr_read(void** at) { ovlp::instrument::loaded_word(at, sizeof *at); }
OVLP_DOOR void __tsan_vptr_update(void** at, void*) { ovlp::instrument::stored_word(at, sizeof *at); }

// The last arguments are orders of memory, which is the strongest one here.
#define OVLP_ATOMIC_CHANGE(Type, bits, name)                                           \
  OVLP_DOOR Type __tsan_atomic##bits##_fetch_##name(Type volatile* at, Type by, int) { \
    ovlp::instrument::loaded_word(const_cast<Type*>(at), sizeof(Type));                \
    ovlp::instrument::stored_word(const_cast<Type*>(at), sizeof(Type));                \
    return __atomic_fetch_##name(at, by, __ATOMIC_SEQ_CST);                            \
  }
#define OVLP_ATOMIC_COMPARISON(Type, bits, name)                                                                    \
  OVLP_DOOR int __tsan_atomic##bits##_compare_exchange_##name(Type volatile* at, Type* expected, Type wanted, int,  \
                                                              int) {                                                \
    ovlp::instrument::loaded_word(const_cast<Type*>(at), sizeof(Type));                                             \
    bool const same = __atomic_compare_exchange_n(at, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    if (same) ovlp::instrument::stored_word(const_cast<Type*>(at), sizeof(Type));                                   \
    return same ? 1 : 0;                                                                                            \
  }
#define OVLP_ATOMIC(Type, bits)                                                                                       \
  OVLP_DOOR Type __tsan_atomic##bits##_load(Type const volatile* at, int) {                                           \
    ovlp::instrument::loaded_word(const_cast<Type const*>(at), sizeof(Type));                                         \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                     \
  }                                                                                                                   \
  OVLP_DOOR void __tsan_atomic##bits##_store(Type volatile* at, Type value, int) {                                    \
    ovlp::instrument::stored_word(const_cast<Type*>(at), sizeof(Type));                                               \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                    \
  }                                                                                                                   \
  OVLP_DOOR Type __tsan_atomic##bits##_exchange(Type volatile* at, Type value, int) {                                 \
    ovlp::instrument::loaded_word(const_cast<Type*>(at), sizeof(Type));                                               \
    ovlp::instrument::stored_word(const_cast<Type*>(at), sizeof(Type));                                               \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                          \
  }                                                                                                                   \
  OVLP_ATOMIC_CHANGE(Type, bits, add)                                                                                 \
  OVLP_ATOMIC_CHANGE(Type, bits, sub)                                                                                 \
  OVLP_ATOMIC_CHANGE(Type, bits, and)                                                                                 \
  OVLP_ATOMIC_CHANGE(Type, bits, or)                                                                                  \
  OVLP_ATOMIC_CHANGE(Type, bits, xor)                                                                                 \
  OVLP_ATOMIC_CHANGE(Type, bits, nand)                                                                                \
  OVLP_ATOMIC_COMPARISON(Type, bits, strong)                                                                          \
  OVLP_ATOMIC_COMPARISON(Type, bits, weak)                                                                            \
  OVLP_DOOR Type __tsan_atomic##bits##_compare_exchange_val(Type volatile* at, Type expected, Type wanted, int order, \
                                                            int otherwise) {                                          \
    __tsan_atomic##bits##_compare_exchange_strong(at, &expected, wanted, order, otherwise);                           \
    return expected;                                                                                                  \
  }
OVLP_ATOMIC(std::uint8_t, 8)
OVLP_ATOMIC(std::uint16_t, 16)
OVLP_ATOMIC(std::uint32_t, 32)
OVLP_ATOMIC(std::uint64_t, 64)
#undef OVLP_ATOMIC
#undef OVLP_ATOMIC_COMPARISON
#undef OVLP_ATOMIC_CHANGE

// Of 16 bytes, for which the compilers' builtins would call another library.
#if defined(__x86_64__)
__extension__ typedef unsigned __int128 ovlp_uint128;  // NOLINT(modernize-use-using): of an extension

/// Whether it was as expected; what it was is then in `expected`.
inline bool ovlp_compare_exchange_16(ovlp_uint128 volatile* at, ovlp_uint128* expected, ovlp_uint128 wanted) {
  auto low = static_cast<std::uint64_t>(*expected), high = static_cast<std::uint64_t>(*expected >> 64);
  bool same = false;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(same), "+m"(*at), "+a"(low), "+d"(high)
                   : "b"(static_cast<std::uint64_t>(wanted)), "c"(static_cast<std::uint64_t>(wanted >> 64))
                   : "memory");
  *expected = static_cast<ovlp_uint128>(high) << 64 | low;
  return same;
}
inline ovlp_uint128 ovlp_load_16(ovlp_uint128 const volatile* at) {
  ovlp_uint128 found = 0;
  ovlp_compare_exchange_16(const_cast<ovlp_uint128 volatile*>(at), &found, 0);
  return found;
}

#define OVLP_ATOMIC_CHANGE_16(name, changed)                                                        \
  OVLP_DOOR ovlp_uint128 __tsan_atomic128_##name(ovlp_uint128 volatile* at, ovlp_uint128 by, int) { \
    ovlp::instrument::loaded(const_cast<ovlp_uint128*>(at), sizeof(ovlp_uint128));                  \
    ovlp::instrument::stored(const_cast<ovlp_uint128*>(at), sizeof(ovlp_uint128));                  \
    ovlp_uint128 had = ovlp_load_16(at);                                                            \
    while (!ovlp_compare_exchange_16(at, &had, changed)) {                                          \
    }                                                                                               \
    return had;                                                                                     \
  }
#define OVLP_ATOMIC_COMPARISON_16(name)                                                                     \
  OVLP_DOOR int __tsan_atomic128_compare_exchange_##name(ovlp_uint128 volatile* at, ovlp_uint128* expected, \
                                                         ovlp_uint128 wanted, int, int) {                   \
    ovlp::instrument::loaded(const_cast<ovlp_uint128*>(at), sizeof(ovlp_uint128));                          \
    bool const same = ovlp_compare_exchange_16(at, expected, wanted);                                       \
    if (same) ovlp::instrument::stored(const_cast<ovlp_uint128*>(at), sizeof(ovlp_uint128));                \
    return same ? 1 : 0;                                                                                    \
  }
OVLP_DOOR ovlp_uint128 __tsan_atomic128_load(ovlp_uint128 const volatile* at, int) {
  ovlp::instrument::loaded(const_cast<ovlp_uint128 const*>(at), sizeof(ovlp_uint128));
  return ovlp_load_16(at);
}
OVLP_DOOR void __tsan_atomic128_store(ovlp_uint128 volatile* at, ovlp_uint128 value, int) {
  ovlp::instrument::stored(const_cast<ovlp_uint128*>(at), sizeof(ovlp_uint128));
  ovlp_uint128 had = ovlp_load_16(at);
  while (!ovlp_compare_exchange_16(at, &had, value)) {
  }
}
OVLP_ATOMIC_CHANGE_16(exchange, by)
OVLP_ATOMIC_CHANGE_16(fetch_add, had + by)
OVLP_ATOMIC_CHANGE_16(fetch_sub, had - by)
OVLP_ATOMIC_CHANGE_16(fetch_and, had& by)
OVLP_ATOMIC_CHANGE_16(fetch_or, had | by)
OVLP_ATOMIC_CHANGE_16(fetch_xor, had ^ by)
OVLP_ATOMIC_CHANGE_16(fetch_nand, ~(had& by))
OVLP_ATOMIC_COMPARISON_16(strong)
OVLP_ATOMIC_COMPARISON_16(weak)
OVLP_DOOR ovlp_uint128 __tsan_atomic128_compare_exchange_val(ovlp_uint128 volatile* at, ovlp_uint128 expected,
                                                             ovlp_uint128 wanted, int order, int otherwise) {
  __tsan_atomic128_compare_exchange_strong(at, &expected, wanted, order, otherwise);
  return expected;
}
#undef OVLP_ATOMIC_COMPARISON_16
#undef OVLP_ATOMIC_CHANGE_16
#endif

// By which programs tell the sanitizer of synchronization that it does not see: sanitizer/tsan_interface.h. They mean
// nothing here.
OVLP_DOOR void __tsan_acquire(void*) {}
OVLP_DOOR void __tsan_release(void*) {}
OVLP_DOOR void __tsan_mutex_create(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_destroy(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_pre_lock(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_post_lock(void*, unsigned, int) {}
OVLP_DOOR int __tsan_mutex_pre_unlock(void*, unsigned) { return 0; }
OVLP_DOOR void __tsan_mutex_post_unlock(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_pre_signal(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_post_signal(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_pre_divert(void*, unsigned) {}
OVLP_DOOR void __tsan_mutex_post_divert(void*, unsigned) {}
OVLP_DOOR void* __tsan_get_current_fiber() { return nullptr; }
OVLP_DOOR void* __tsan_create_fiber(unsigned) { return nullptr; }
OVLP_DOOR void __tsan_destroy_fiber(void*) {}
OVLP_DOOR void __tsan_switch_to_fiber(void*, unsigned) {}
OVLP_DOOR void __tsan_set_fiber_name(void*, char const*) {}

OVLP_DOOR void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
OVLP_DOOR void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#undef OVLP_DOOR
#pragma GCC diagnostic pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses, misc-definitions-in-headers)
