// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

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

OVLP_DOOR void __tsan_read_range(void* at, std::size_t bytes) { ovlp::instrument::loaded(at, bytes); }
OVLP_DOOR void __tsan_write_range(void* at, std::size_t bytes) { ovlp::instrument::stored(at, bytes); }
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

OVLP_DOOR void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
OVLP_DOOR void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#undef OVLP_DOOR
#pragma GCC diagnostic pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses, misc-definitions-in-headers)
