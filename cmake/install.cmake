# SPDX-License-Identifier: BSD-3-Clause
# find_package(ovlp): ovlp::flowgraph, ovlp::real, ovlp::sim and ovlp::ovlp; and the platform files.
include(CMakePackageConfigHelpers)

set(ovlp_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ovlp)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ovlpConfig.cmake.in ${PROJECT_BINARY_DIR}/ovlpConfig.cmake
  INSTALL_DESTINATION ${ovlp_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break what was there.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ovlpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ovlpConfig.cmake ${PROJECT_BINARY_DIR}/ovlpConfigVersion.cmake
  DESTINATION ${ovlp_package_dir})
install(EXPORT ovlpTargets NAMESPACE ovlp:: DESTINATION ${ovlp_package_dir})
install(DIRECTORY platforms DESTINATION ${CMAKE_INSTALL_DATADIR}/ovlp)
