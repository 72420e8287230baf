# SPDX-License-Identifier: BSD-3-Clause
include(GNUInstallDirs)

# `check-headers`: each public header (those in a module's file set) compiles alone.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
  add_custom_target(check-headers)
  add_dependencies(check-headers all_verify_interface_header_sets)
  # `tidy`: clang-tidy over our sources; with a compilation database of Clang. Compiles nothing.
  add_custom_target(tidy USES_TERMINAL VERBATIM
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/tidy ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()

# ovlp_add_module(<name> SOURCES <file>... HEADERS <public header>...)
# The static library ovlp_<name>, also called ovlp::<name>, and its installation.
function(ovlp_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS")
  set(target ovlp_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(ovlp::${name} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    # An optimized library is compiled as a whole, so that calls between its files are inlined: docs/performance.md.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    # And more of them than GCC would by itself.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:GNU>:--param=max-inline-insns-auto=100;--param=inline-unit-growth=100>")
  endif()
  ovlp_use_flags(${target})
  install(TARGETS ${target} EXPORT ovlpTargets FILE_SET HEADERS)
endfunction()

# ovlp_is_loadable(<target>): a shared library that is loaded when a run asks for it.
function(ovlp_is_loadable target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${ovlp_build_module_dir})
  ovlp_use_flags(${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${ovlp_module_dir})
endfunction()

# ovlp_add_test(<name> <source>... [LABEL <label>...] [COST <seconds>] [LIBRARIES <target>...] [OWN_MAIN])
# A doctest program that is one CTest test. OWN_MAIN: a source has its own main(). COST: what it may take on a slow
# machine, if that is more than others; those that take longest start first.
# Target tests-<label> builds those of a label.
function(ovlp_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN" "COST" "LABEL;LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ovlp::real ovlp_base_internal doctest::doctest ${arg_LIBRARIES})
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${name} PRIVATE ovlp_test_main)
  endif()
  ovlp_use_flags(${name})
  if(NOT arg_COST)
    set(arg_COST 60)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  foreach(label IN LISTS arg_LABEL)
    if(NOT TARGET tests-${label})
      add_custom_target(tests-${label})
    endif()
    add_dependencies(tests-${label} ${name})
  endforeach()
  set_tests_properties(${name} PROPERTIES COST ${arg_COST} LABELS "${arg_LABEL}")
  ovlp_own_mpi_folder(${name})
endfunction()

# ovlp_own_mpi_folder(<test>): Open MPI's mpiruns that share a folder remove it for each other.
function(ovlp_own_mpi_folder test)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
    "OMPI_MCA_orte_tmpdir_base=${CMAKE_BINARY_DIR}/openmpi/${test}")
endfunction()

# ovlp_add_compile_fail_test(<name> <source> <regex>)
# The source must compile as it is; with OVLP_MISTAKE defined it must not, and the compiler must print the regex.
function(ovlp_add_compile_fail_test name source regex)
  set(compile ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set(includes "-I$<JOIN:$<TARGET_PROPERTY:ovlp_real,INTERFACE_INCLUDE_DIRECTORIES>,;-I>")
  add_test(NAME ${name}.correct COMMAND ${compile} "${includes}" COMMAND_EXPAND_LISTS)
  add_test(NAME ${name}.mistake COMMAND ${compile} "${includes}" -DOVLP_MISTAKE COMMAND_EXPAND_LISTS)
  set_tests_properties(${name}.correct ${name}.mistake PROPERTIES LABELS compile-fail ENVIRONMENT LC_ALL=C)
  # "error:" is printed only when the compilation fails; what we expect may stand in a note below it.
  set_tests_properties(${name}.mistake PROPERTIES PASS_REGULAR_EXPRESSION "error:.*${regex}")
endfunction()

# ovlp_add_example(<name> <source>... [LIBRARIES <target>...])
# <name>_real runs on the real backend, <name>_sim is simulated, <name> is the one chosen by OVLP_SIMULATE, linked again
# from its objects.
function(ovlp_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  add_executable(${name}_real ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name}_real PRIVATE ovlp::real)
  add_executable(${name}_sim ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name}_sim PRIVATE ovlp::sim)
  add_executable(${name} $<TARGET_OBJECTS:${name}_$<IF:$<BOOL:${OVLP_SIMULATE}>,sim,real>>)
  target_link_libraries(${name} PRIVATE ovlp::ovlp)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  foreach(program ${name}_real ${name}_sim ${name})
    target_link_libraries(${program} PRIVATE ${arg_LIBRARIES})
    ovlp_use_flags(${program})
    add_dependencies(examples ${program})
  endforeach()
endfunction()

# ovlp_add_contestant(<case> <contestant> [LIBRARIES <target>...])
# bench/<case>/<contestant>.cpp becomes the program <case>_<contestant>; a rival links none of our modules but the helpers.
function(ovlp_add_contestant case contestant)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES")
  set(program ${case}_${contestant})
  add_executable(${program} ${case}/${contestant}.cpp)
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES})
  ovlp_use_flags(${program})
endfunction()
