# SPDX-License-Identifier: BSD-3-Clause
# A small project, configured against an install tree of this build, builds and runs.

set(dir ${CMAKE_CURRENT_BINARY_DIR}/consumer)
# Libraries built with sanitizers need a program linked with them.
set(flags "${CMAKE_CXX_FLAGS}")
if(OVLP_SANITIZE)
  string(APPEND flags " -fsanitize=${OVLP_SANITIZE}")
endif()

add_test(NAME consumer.clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir})
add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${dir}/prefix)
add_test(NAME consumer COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${dir}/build
  --build-generator ${CMAKE_GENERATOR}
  --build-options
    -DCMAKE_PREFIX_PATH=${dir}/prefix
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DCMAKE_CXX_FLAGS=${flags}
  --test-command consumer)
set_tests_properties(consumer.clean PROPERTIES FIXTURES_SETUP consumer_clean)
set_tests_properties(consumer.install PROPERTIES FIXTURES_REQUIRED consumer_clean FIXTURES_SETUP consumer_install)
add_test(NAME consumer.simulated COMMAND ${dir}/build/consumer_sim --nodes 2 --platform gigabit)
set_tests_properties(consumer PROPERTIES FIXTURES_REQUIRED consumer_install FIXTURES_SETUP consumer_built)
set_tests_properties(consumer.simulated PROPERTIES FIXTURES_REQUIRED consumer_built)
set_tests_properties(consumer.clean consumer.install consumer consumer.simulated
  PROPERTIES TIMEOUT 120 LABELS consumer)
