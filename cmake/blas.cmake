# SPDX-License-Identifier: BSD-3-Clause
# ovlp_blas: CBLAS and LAPACKE over OpenBLAS, for tools and the kernels of examples and benchmarks; never for the library.

# Best the one without threads of its own: those start, and spin, in each program that links it. Where both are
# installed, the system's choice, which its libblas fits.
ovlp_require(OpenBLAS CONFIG PACKAGE libopenblas-serial-dev)
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
