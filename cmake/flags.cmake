# SPDX-License-Identifier: BSD-3-Clause

add_library(ovlp_warnings INTERFACE)
target_compile_options(ovlp_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict>  # false alarms inside library headers (GCC 12)
  # Several files are compiled as one: their anonymous namespaces are no header's, their types are in each other's sight.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage -Wshadow=local>
  $<$<CXX_COMPILER_ID:Clang>:-Wshadow -Wreserved-identifier -Wthread-safety>
  $<$<BOOL:${OVLP_WERROR}>:-Werror>)

add_library(ovlp_sanitizers INTERFACE)
if(OVLP_SANITIZE)
  target_compile_options(ovlp_sanitizers INTERFACE
    -fsanitize=${OVLP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)  # Asio's fences, which the thread sanitizer ignores
  target_link_options(ovlp_sanitizers INTERFACE -fsanitize=${OVLP_SANITIZE})
endif()

# ovlp_optimize_little(<target>...): of what reads files and starts programs, a release build compiles a third faster.
function(ovlp_optimize_little)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# What each target of ours is compiled with. Never exported: hence BUILD_INTERFACE.
function(ovlp_use_flags target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ovlp_warnings> $<BUILD_INTERFACE:ovlp_sanitizers>)
endfunction()
