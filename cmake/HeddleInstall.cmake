# What users install: bin/ with the tools, lib/heddle/ with what enters their programs, the headers, and the CMake
# package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
# Not CMAKE_INSTALL_LIBDIR, which Debian makes lib/x86_64-linux-gnu: the tools look in lib/heddle beside their bin.
set(parts_dir lib/heddle)

set(programs heddle_cli heddle_cc heddle_cxx heddle_verify)
set(libraries heddle_rt heddle_instrument heddle_blocks heddle_production heddle_crash)
set(archives heddle_production_part)
add_custom_target(heddle_tools DEPENDS ${programs} ${libraries} ${archives} heddle_cli_pages)

install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${libraries} LIBRARY DESTINATION ${parts_dir})
install(TARGETS ${archives} ARCHIVE DESTINATION ${parts_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/user/ DESTINATION share/doc/heddle/user)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION share/doc/heddle)
# Where Debian's tools look for the licence of a package.
install(FILES ${PROJECT_SOURCE_DIR}/cmake/copyright DESTINATION share/doc/heddle)
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/heddle/include ${PROJECT_BINARY_DIR}/lib/heddle/api
        DESTINATION ${parts_dir})
# For builds without Heddle, where the headers say nothing.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/src/host/run/replay/heddle_gdb.py DESTINATION ${parts_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/HeddleConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/HeddleConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS parts_dir CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/HeddleConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/HeddleConfig.cmake ${PROJECT_BINARY_DIR}/cmake/HeddleConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/HeddleInstrument.cmake ${PROJECT_SOURCE_DIR}/cmake/HeddleTest.cmake
        DESTINATION ${package_dir})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "Heddle maintainers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds, reproduces and explains concurrency bugs in C and C++ programs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # the runtime's symbols are what heddle_gdb.py looks for
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-${LLVM_VERSION_MAJOR}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gdb, lld-${LLVM_VERSION_MAJOR}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
