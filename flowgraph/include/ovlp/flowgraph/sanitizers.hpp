// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which sanitizer watches this build. The tests are nested because GCC 12 rejects __has_feature in one line.
#if defined(__SANITIZE_ADDRESS__)
#define OVLP_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define OVLP_THREAD_SANITIZER 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OVLP_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define OVLP_THREAD_SANITIZER 1
#endif
#endif
