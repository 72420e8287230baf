# SPDX-License-Identifier: BSD-3-Clause
# ovlp_blas: CBLAS and LAPACKE over OpenBLAS, for tools and the kernels of examples and benchmarks; never for the library.

include(CheckCXXSourceRuns)

# The one on pthreads: told once to use one thread (openblas_set_num_threads), it does for all threads that call. Its
# own threads start with the program all the same, and spin for a moment; OPENBLAS_NUM_THREADS=1 in the environment
# spares them. Where several are installed, the system's choice, which its libblas fits.
ovlp_require(OpenBLAS CONFIG PACKAGE libopenblas-pthread-dev)
find_path(OVLP_LAPACKE_INCLUDE_DIR lapacke.h)
find_library(OVLP_LAPACKE_LIBRARY lapacke)
mark_as_advanced(OVLP_LAPACKE_INCLUDE_DIR OVLP_LAPACKE_LIBRARY)
if(NOT OVLP_LAPACKE_INCLUDE_DIR OR NOT OVLP_LAPACKE_LIBRARY)
  ovlp_missing(LAPACKE liblapacke-dev)
endif()

# OpenBLAS first: its LAPACK routines then also serve LAPACKE, whatever the system's default LAPACK is.
add_library(ovlp_blas INTERFACE)
target_include_directories(ovlp_blas SYSTEM INTERFACE ${OpenBLAS_INCLUDE_DIRS} ${OVLP_LAPACKE_INCLUDE_DIR})
target_link_libraries(ovlp_blas INTERFACE ${OpenBLAS_LIBRARIES} ${OVLP_LAPACKE_LIBRARY})

# An OpenBLAS without threads locks nothing: kernels that run at once in one process overwrite each other's buffers.
# With the one on OpenMP, LU's factors differed in rounding between the backends (backends_test).
set(CMAKE_REQUIRED_INCLUDES ${OpenBLAS_INCLUDE_DIRS})
set(CMAKE_REQUIRED_LIBRARIES ${OpenBLAS_LIBRARIES})
check_cxx_source_runs("#include <cblas.h>\nint main() { return openblas_get_parallel() != OPENBLAS_THREAD; }"
  OVLP_BLAS_ON_PTHREADS)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT OVLP_BLAS_ON_PTHREADS)
  unset(OVLP_BLAS_ON_PTHREADS CACHE)
  ovlp_missing("an OpenBLAS on pthreads (neither serial nor on OpenMP)" libopenblas-pthread-dev)
endif()
