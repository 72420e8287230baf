// SPDX-License-Identifier: BSD-3-Clause
#include "steps/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>

#include <ovlp/flowgraph/sanitizers.hpp>

#ifdef OVLP_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef OVLP_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace ovlp::OVLP_INLINE_CORE {

/// Address space below each stack that nobody may touch: more than what a frame has usually, so that none jumps over.
constexpr std::size_t guard_bytes = 2 * 1024 * 1024;

struct fiber_stack {
  void* base = nullptr;  // of the mapping; it begins with the guard
  std::size_t bytes = 0;
  char* bottom() const { return static_cast<char*>(base) + guard_bytes; }
  std::size_t usable_bytes() const { return bytes - guard_bytes; }
};

/// What the C++ runtime keeps per OS thread about exceptions being thrown and caught.
struct exception_globals {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

namespace {

/// Where the kernel can (Linux 6.13), without a mapping of its own: a process may have 65,530, and two for each stack
/// would bound the operations that are suspended at once.
bool guard(void* base) {
  constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which the C library's headers do not have yet
  return ::madvise(base, guard_bytes, guard_install) == 0 || ::mprotect(base, guard_bytes, PROT_NONE) == 0;
}

std::size_t page_bytes() {
  static std::size_t const bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Stacks are kept for the next fibers, until the process ends: to map one, and to touch its pages for the first time,
/// costs as much as hundreds of switches, and to unmap one nearly as much.
class stack_pool {
 public:
  fiber_stack take(std::size_t wanted_bytes) {
    std::size_t const bytes = (wanted_bytes + page_bytes() - 1) / page_bytes() * page_bytes() + guard_bytes;
    {
      scoped_lock const lock(mutex_);
      std::vector<fiber_stack>& free = free_[bytes];
      if (!free.empty()) {
        fiber_stack const taken = free.back();
        free.pop_back();
        return taken;
      }
    }
    void* const base =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED || !guard(base)) {
      int const error = errno;
      if (base != MAP_FAILED) ::munmap(base, bytes);
      throw std::system_error(error, std::generic_category(),
                              "no stack for another suspended operation (make a port's window or --stack-kib smaller, "
                              "or raise vm.max_map_count or the limit of virtual memory)");
    }
    return {base, bytes};
  }
  void give(fiber_stack given) {
    scoped_lock const lock(mutex_);
    free_[given.bytes].push_back(given);
  }

 private:
  mutex mutex_;
  std::map<std::size_t, std::vector<fiber_stack>> free_ OVLP_GUARDED_BY(mutex_);  ///< by bytes
};

/// Never destroyed: when a program ends by exit(), other threads may still suspend operations.
stack_pool& stacks() {
  static stack_pool& pool = *new stack_pool;
  return pool;
}

}  // namespace

struct fiber::implementation {
  boost::context::fiber context;  // valid while the fiber is left
  std::function<void()> body;
  fiber_stack own;
  exception_globals exceptions;
#ifdef OVLP_ADDRESS_SANITIZER
  void* fake_stack = nullptr;
  void const* bottom = nullptr;
  std::size_t size = 0;
#endif
#ifdef OVLP_THREAD_SANITIZER
  void* tsan = nullptr;
#endif
  implementation* entered_from = nullptr;

  /// First thing on a stack that is entered: finish what the one that was left had begun.
  void arrive(boost::context::fiber&& left) {
    entered_from->context = std::move(left);
#ifdef OVLP_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake_stack, &entered_from->bottom, &entered_from->size);
#endif
  }

  void switch_to(implementation& next) {
    auto* const globals = reinterpret_cast<exception_globals*>(abi::__cxa_get_globals());
    exceptions = *globals;
    *globals = next.exceptions;
    next.entered_from = this;
#ifdef OVLP_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&fake_stack, next.bottom, next.size);
#endif
#ifdef OVLP_THREAD_SANITIZER
    __tsan_switch_to_fiber(next.tsan, 0);
#endif
    boost::context::fiber left = std::move(next.context).resume();
    arrive(std::move(left));
  }
};

/// For boost::context: the fiber owns the mapping.
struct kept_stack {
  void deallocate(boost::context::stack_context&) noexcept {}
};

fiber::fiber() : implementation_(std::make_unique<implementation>()) {
#ifdef OVLP_THREAD_SANITIZER
  implementation_->tsan = __tsan_get_current_fiber();
#endif
}

fiber::fiber(std::size_t stack_bytes, std::function<void()> body)
    : implementation_(std::make_unique<implementation>()) {
  implementation& made = *implementation_;
  made.body = std::move(body);
  made.own = stacks().take(stack_bytes);
#ifdef OVLP_ADDRESS_SANITIZER
  made.bottom = made.own.bottom();
  made.size = made.own.usable_bytes();
#endif
#ifdef OVLP_THREAD_SANITIZER
  made.tsan = __tsan_create_fiber(0);
#endif
  boost::context::stack_context context;
  context.size = made.own.usable_bytes();
  context.sp = static_cast<char*>(made.own.base) + made.own.bytes;
  made.context =
      boost::context::fiber(std::allocator_arg, boost::context::preallocated(context.sp, context.size, context),
                            kept_stack{}, [&made](boost::context::fiber&& left) -> boost::context::fiber {
                              made.arrive(std::move(left));
                              made.body();
                              std::abort();  // the body never returns
                            });
}

fiber::~fiber() {
  if (!implementation_) return;
  // What is left is dropped as it is, also an OS thread's own stack at exit(): unwinding by boost's own exception would
  // pass through user code.
  alignas(boost::context::fiber) std::byte dropped[sizeof(boost::context::fiber)];
  ::new (dropped) boost::context::fiber(std::move(implementation_->context));
  if (implementation_->own.base == nullptr) return;
#ifdef OVLP_THREAD_SANITIZER
  __tsan_destroy_fiber(implementation_->tsan);
#endif
#ifdef OVLP_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(implementation_->bottom, implementation_->size);  // frames that never returned
#endif
  stacks().give(implementation_->own);
}

void fiber::switch_to(fiber& next) { implementation_->switch_to(*next.implementation_); }

bool fiber::overflows_at(void const* address) const {
  fiber_stack const& own = implementation_->own;
  return own.base != nullptr && address >= own.base && address < own.bottom();
}

}  // namespace ovlp::OVLP_INLINE_CORE
