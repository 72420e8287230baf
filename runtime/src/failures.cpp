// SPDX-License-Identifier: BSD-3-Clause
#include "failures.hpp"

#include <cxxabi.h>

#include <new>
#include <typeinfo>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/thread_manager.hpp>

namespace ovlp::OVLP_INLINE_CORE {

void fail(thread_manager const& node, std::string function, thread_address thread, std::exception_ptr thrown) {
  failure report{
      .operation = std::move(function), .thread = node.program().name(thread), .node = node_name(node.self())};
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (std::exception const& e) {
    report.type = type_name(typeid(e));
    report.text = dynamic_cast<std::bad_alloc const*>(&e) != nullptr ? memory_ran_out : e.what();
  } catch (...) {
    std::type_info const* const type = abi::__cxa_current_exception_type();
    report.type = type != nullptr ? type_name(*type) : "unknown type";
    report.text = "an exception that is not a std::exception";
  }
  node.backend().fail(report);
}

}  // namespace ovlp::OVLP_INLINE_CORE
