# heddle_module([NAME name] [EXCEPT files ...] [LIBRARIES ...] [TEST_SOURCES ...] [TEST_LIBRARIES ...])
#
# One folder under src/GROUP/ = one static library Heddle::<folder> of all its source files but those named by EXCEPT.
# Unit tests (*_test.cpp) stand beside the file that they test and are compiled into one runner per module; TEST_SOURCES
# and TEST_LIBRARIES are what this runner needs besides. tools/layers.txt says what the folder may include, and so what
# it links.
#
# Host modules share one precompiled header, of libraries only: a change of our own headers never recompiles everything.
# Their sources are compiled eight at a time (HEDDLE_UNITY), so that eight of them parse a header once. The asan and
# tsan presets go without both, so that a missing #include shows.
#
# Code of a freestanding group also runs inside the program under test: no exceptions, no RTTI, never sanitized (the
# sanitizer would intercept what the runtime interposes).
function(heddle_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "EXCEPT;LIBRARIES;TEST_SOURCES;TEST_LIBRARIES")
  heddle_folder(folder group)
  set(name ${folder})
  if(arg_NAME)
    set(name ${arg_NAME})
  endif()
  heddle_sources(sources tests EXCEPT ${arg_EXCEPT})
  set(is_freestanding FALSE)
  if(HEDDLE_GROUP_KIND_${group} STREQUAL "freestanding")
    set(is_freestanding TRUE)
  endif()

  set(target heddle_${name})
  set(scope INTERFACE)
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    heddle_compile_flags(${target} ${is_freestanding})
    if(NOT is_freestanding)
      heddle_precompiled_libraries(${target})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEDDLE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    endif()
  else()
    add_library(${target} INTERFACE)
  endif()
  add_library(Heddle::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} ${scope} cxx_std_20)
  heddle_use_layers(${target} ${scope})
  target_link_libraries(${target} ${scope} ${arg_LIBRARIES})

  if(is_freestanding)
    # Compiles the sources again as ordinary host code, so that unit tests see them sanitized.
    heddle_unit_tests(${name} SOURCES ${tests} ${sources} ${arg_TEST_SOURCES} LIBRARIES ${arg_TEST_LIBRARIES})
  else()
    heddle_unit_tests(${name} SOURCES ${tests} ${arg_TEST_SOURCES} LIBRARIES ${target} ${arg_TEST_LIBRARIES})
  endif()
endfunction()

# The runner of the unit tests among SOURCES; none is made if there are none. The target heddle_unit_tests builds them
# all.
function(heddle_unit_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  set(tests ${arg_SOURCES})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(NOT HEDDLE_TESTS OR NOT tests)
    return()
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  set(target heddle_${name}_test)
  add_executable(${target} ${arg_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  heddle_use_layers(${target} PRIVATE)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
  heddle_compile_flags(${target} FALSE)
  if(NOT TARGET heddle_unit_tests)
    add_custom_target(heddle_unit_tests)
  endif()
  add_dependencies(heddle_unit_tests ${target})
  gtest_discover_tests(${target} TEST_PREFIX "unit.${name}." PROPERTIES LABELS unit)
endfunction()

# The folder of tools/layers.txt that the current directory belongs to, and its group.
function(heddle_folder folder_result group_result)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE inside)
  string(REPLACE "/" ";" inside ${inside})
  list(GET inside 0 group)
  list(GET inside 1 folder)
  set(${folder_result} ${folder} PARENT_SCOPE)
  set(${group_result} ${group} PARENT_SCOPE)
endfunction()

# Include roots and libraries of what the current folder may include.
function(heddle_use_layers target scope)
  heddle_folder(folder group)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src/${group})
  foreach(below ${HEDDLE_BELOW_${folder}})
    target_link_libraries(${target} ${scope} Heddle::${below})
  endforeach()
endfunction()

# All sources below the current directory, relative to it: what is compiled into its library, and the unit tests.
# Folders with a CMakeLists.txt of their own, benchmarks and what EXCEPT names are left out.
function(heddle_sources sources_result tests_result)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "EXCEPT")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp *.c *.S)
  file(GLOB_RECURSE inner RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CMakeLists.txt)
  list(FILTER inner INCLUDE REGEX "/CMakeLists.txt$")
  foreach(file ${inner})
    cmake_path(GET file PARENT_PATH folder)
    list(FILTER files EXCLUDE REGEX "^${folder}/")
  endforeach()
  foreach(file ${arg_EXCEPT})
    if(NOT file IN_LIST files)
      message(FATAL_ERROR "${file} is not a source of ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
  endforeach()
  list(REMOVE_ITEM files ${arg_EXCEPT})
  list(FILTER files EXCLUDE REGEX "_benchmark\\.cpp$")
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  set(${sources_result} ${files} PARENT_SCOPE)
  set(${tests_result} ${tests} PARENT_SCOPE)
endfunction()

# The headers that cost most: nlohmann/json.hpp alone takes longer than what most of our files add to it.
function(heddle_precompiled_libraries target)
  find_package(fmt REQUIRED)
  find_package(nlohmann_json REQUIRED)
  if(NOT TARGET heddle_precompiled)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "// Carries the precompiled header.\n")
    add_library(heddle_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    set_target_properties(heddle_precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_features(heddle_precompiled PUBLIC cxx_std_20)
    target_link_libraries(heddle_precompiled PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
    heddle_compile_flags(heddle_precompiled FALSE)
    target_precompile_headers(heddle_precompiled PRIVATE <fmt/format.h> <nlohmann/json.hpp>)
  endif()
  # A precompiled header wants the macros that it was made with.
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  target_precompile_headers(${target} REUSE_FROM heddle_precompiled)
endfunction()

function(heddle_compile_flags target freestanding)
  if(HEDDLE_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Werror)
  endif()
  if(freestanding)
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -fvisibility=hidden -fno-threadsafe-statics
                           -fno-omit-frame-pointer -fno-stack-protector)
    return()
  endif()
  if(HEDDLE_HOST_SANITIZERS)
    target_compile_options(${target} PRIVATE -fsanitize=${HEDDLE_HOST_SANITIZERS})
    target_link_options(${target} PUBLIC -fsanitize=${HEDDLE_HOST_SANITIZERS})
  endif()
  # Lines for stacks and profiles. Variables and types would make the tools five times as large, most of it of templates
  # of libraries; a Debug build has them.
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1>)
  target_link_options(${target} PRIVATE -fuse-ld=lld-19 LINKER:--compress-debug-sections=zlib)
endfunction()
