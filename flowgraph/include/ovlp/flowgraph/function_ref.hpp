// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ovlp {

template <class Signature>
class function_ref;

/// A callable passed down for the duration of a call: two pointers, no allocation, no ownership.
///
///     void kernel(std::string_view name, ovlp::function_ref<void()> body);  // called with any lambda
///
/// For parameters only: the callable must outlive the last call, so do not keep one whose callable is a temporary. It
/// stands in virtual functions, where a template can not, and where a std::function would allocate. A callable that is
/// const is called as const.
/// Thread: as for the callable.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref> &&
           std::is_invocable_r_v<Result, Callable&, Arguments...>)
      function_ref(Callable&& callable)  // NOLINT(bugprone-forwarding-reference-overload): constrained above
      : target_(const_cast<void*>(static_cast<void const*>(std::addressof(callable)))),
        call_([](void* target, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(target))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(target_, std::forward<Arguments>(arguments)...); }

 private:
  void* target_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace ovlp
