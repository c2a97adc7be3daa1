# A pass plugin only loads into the clang it was built for, so take the LLVM of the compiler in use.
# (Asking for no version would pick the newest LLVM installed, whatever clang++ is.)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "Heddle is built with the clang it plugs into; CMAKE_CXX_COMPILER is ${CMAKE_CXX_COMPILER_ID}")
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+" clang_version ${CMAKE_CXX_COMPILER_VERSION})
find_package(LLVM ${clang_version} CONFIG REQUIRED)
find_program(HEDDLE_FILECHECK FileCheck FileCheck-19 PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH REQUIRED)
