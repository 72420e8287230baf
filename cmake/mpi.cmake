# SPDX-License-Identifier: BSD-3-Clause
# The MPI libraries that are installed: their binary interfaces differ, and so each gets modules of its own.

# ovlp_find_mpi(<name>): sets <name>_includes and <name>_libraries, if it is there.
function(ovlp_find_mpi name)
  find_program(OVLP_${name}_WRAPPER mpicxx.${name})
  mark_as_advanced(OVLP_${name}_WRAPPER)
  if(NOT OVLP_${name}_WRAPPER)
    message(STATUS "Modules for ${name} are left out (scripts/install --tests installs it)")
    return()
  endif()
  execute_process(COMMAND ${OVLP_${name}_WRAPPER} -show OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(words UNIX_COMMAND "${line}")
  set(includes ${words})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(TRANSFORM includes REPLACE "^-I" "")
  set(libraries ${words})
  list(FILTER libraries INCLUDE REGEX "^-[Ll]")
  set(${name}_includes "${includes}" PARENT_SCOPE)
  set(${name}_libraries "${libraries}" PARENT_SCOPE)
endfunction()

foreach(mpi_library openmpi mpich)
  ovlp_find_mpi(${mpi_library})
endforeach()
