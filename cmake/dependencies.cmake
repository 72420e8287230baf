# SPDX-License-Identifier: BSD-3-Clause

# ovlp_missing(<what> <Debian package>...): stops, and says how to go on.
function(ovlp_missing what)
  list(JOIN ARGN " " packages)
  # The blanks keep CMake from breaking the lines elsewhere.
  message(FATAL_ERROR
    "  ovlp needs ${what}, and it was not found.\n"
    "  Debian: ${packages}; scripts/install installs all that is missing.")
endfunction()

# ovlp_require(<name> <arguments of find_package>... PACKAGE <Debian package>...)
# A macro, since find_package() sets variables and targets of the directory that calls it.
macro(ovlp_require name)
  cmake_parse_arguments(ovlp_require "" "" "PACKAGE" ${ARGN})
  find_package(${name} ${ovlp_require_UNPARSED_ARGUMENTS} QUIET)
  if(NOT ${name}_FOUND)
    list(REMOVE_ITEM ovlp_require_UNPARSED_ARGUMENTS CONFIG COMPONENTS)
    list(JOIN ovlp_require_UNPARSED_ARGUMENTS " " ovlp_require_what)
    ovlp_missing("${name} ${ovlp_require_what}" ${ovlp_require_PACKAGE})
  endif()
endmacro()
