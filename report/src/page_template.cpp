// SPDX-License-Identifier: BSD-3-Clause
#include "page.hpp"

#ifdef OVLP_REPORT_PAGE

// The assembler takes the file in as it is; as a literal of C++ two megabytes would cost the compiler seconds.
__asm__(
    ".section .rodata\n"
    "ovlp_report_page_begin: .incbin \"" OVLP_REPORT_PAGE
    "\"\n"
    "ovlp_report_page_end:\n"
    ".global ovlp_report_page_begin, ovlp_report_page_end\n"
    ".text\n");
extern "C" {
extern char const ovlp_report_page_begin[];
extern char const ovlp_report_page_end[];
}

namespace ovlp::report {
std::string_view page_template() {
  return {ovlp_report_page_begin, static_cast<std::size_t>(ovlp_report_page_end - ovlp_report_page_begin)};
}
}  // namespace ovlp::report

#else

namespace ovlp::report {
std::string_view page_template() { return {}; }
}  // namespace ovlp::report

#endif
