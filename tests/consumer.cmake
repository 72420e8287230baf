# SPDX-License-Identifier: BSD-3-Clause
# A small project that uses an install tree of this build, or this source tree; OVLP_SIMULATE chooses its backend.

set(dir ${CMAKE_CURRENT_BINARY_DIR}/consumer)
# Libraries built with sanitizers need a program linked with them.
set(flags "${CMAKE_CXX_FLAGS}")
if(OVLP_SANITIZE)
  string(APPEND flags " -fsanitize=${OVLP_SANITIZE}")
endif()

add_test(NAME consumer.clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir})
set_tests_properties(consumer.clean PROPERTIES FIXTURES_SETUP consumer_clean)
add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${dir}/prefix)
set_tests_properties(consumer.install PROPERTIES FIXTURES_REQUIRED consumer_clean FIXTURES_SETUP consumer_install)

# consumer_test(<backend> <build option>)
function(consumer_test name option)
  add_test(NAME consumer.${name} COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${dir}/${name}
    --build-generator ${CMAKE_GENERATOR}
    --build-options
      -DCMAKE_PREFIX_PATH=${dir}/prefix
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -DCMAKE_CXX_FLAGS=${flags}
      ${option}
    --test-command consumer --nodes 2)
  set_tests_properties(consumer.${name} PROPERTIES FIXTURES_REQUIRED consumer_install
    PASS_REGULAR_EXPRESSION "ovlp ${PROJECT_VERSION}, ${name}: 385\n")
endfunction()
consumer_test(real -DOVLP_SIMULATE=OFF)
consumer_test(simulated -DOVLP_SIMULATE=ON)

# The default is what was installed; and without installing.
if(OVLP_SIMULATE)
  set(default sim)
else()
  set(default real)
endif()
# consumer_choice(<name> <expected target> <option>...)
function(consumer_choice name expected)
  add_test(NAME consumer.${name} COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR}/consumer -B ${dir}/${name}
    -G ${CMAKE_GENERATOR} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${ARGN})
  set_tests_properties(consumer.${name} PROPERTIES FIXTURES_REQUIRED consumer_install
    PASS_REGULAR_EXPRESSION "ovlp::ovlp is ${expected}\n")
endfunction()
consumer_choice(default ovlp::${default} -DCMAKE_PREFIX_PATH=${dir}/prefix)
consumer_choice(source.real ovlp_real -DCONSUMER_OVLP_SOURCE=${PROJECT_SOURCE_DIR})
consumer_choice(source.simulated ovlp_sim -DCONSUMER_OVLP_SOURCE=${PROJECT_SOURCE_DIR} -DOVLP_SIMULATE=ON)

set_tests_properties(consumer.clean consumer.install consumer.real consumer.simulated consumer.default
  consumer.source.real consumer.source.simulated PROPERTIES LABELS consumer)
