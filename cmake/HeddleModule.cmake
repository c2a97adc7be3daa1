# heddle_module(<folder> [FREESTANDING] [SOURCES ...] [DEPENDS ...] [TESTS ...])
#
# One folder under src/ = one static library Heddle::<folder>. Unit tests sit beside the file they
# test and are compiled into one runner per module.
#
# Host modules share one precompiled header, of libraries only: a change of our own headers never recompiles everything. The
# asan preset goes without it, so that a missing #include shows.
#
# FREESTANDING marks code that also runs inside the program under test: no exceptions, no RTTI,
# never sanitized (the sanitizer would intercept what we interpose).
function(heddle_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FREESTANDING" "" "SOURCES;DEPENDS;TESTS")
  set(target heddle_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(Heddle::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS})
  if(arg_SOURCES)
    heddle_compile_flags(${target} ${arg_FREESTANDING})
    if(NOT arg_FREESTANDING)
      heddle_precompiled_libraries(${target})
    endif()
  endif()

  if(HEDDLE_TESTS AND arg_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
    if(arg_FREESTANDING)
      # Compile the sources again as ordinary host code, so that unit tests see them sanitized.
      add_executable(${target}_test ${arg_SOURCES} ${arg_TESTS})
      target_include_directories(${target}_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
      target_compile_features(${target}_test PRIVATE cxx_std_20)
      target_link_libraries(${target}_test PRIVATE ${arg_DEPENDS} GTest::gtest_main)
    else()
      add_executable(${target}_test ${arg_TESTS})
      target_link_libraries(${target}_test PRIVATE ${target} GTest::gtest_main)
    endif()
    set_target_properties(${target}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
    heddle_compile_flags(${target}_test FALSE)
    gtest_discover_tests(${target}_test TEST_PREFIX "unit.${name}." PROPERTIES LABELS unit)
  endif()
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
  # Lines for stacks and profiles. Variables and types would make the tools five times as large, most of it of templates of
  # libraries; a Debug build has them.
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1>)
  target_link_options(${target} PRIVATE -fuse-ld=lld-19 LINKER:--compress-debug-sections=zlib)
endfunction()
