# heddle_instrument(<target>): compile <target> with the Heddle pass and link it with the runtime, as heddle-cc and
# heddle-c++ do. The compiler must be the clang that the pass was built for.
#
# Set by src/compiler/pass in the build tree and by HeddleConfig.cmake in an installed one:
#   HEDDLE_INSTRUMENT_PLUGIN  the pass
#   HEDDLE_PRELUDE            directory of headers that come before those of the C and C++ libraries
#   HEDDLE_RUNTIME_DIR        directory of libheddle_rt.so
#   HEDDLE_CLANG_VERSION      major version of clang that loads the pass
function(heddle_instrument target)
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER AND NOT (CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND
       CMAKE_${language}_COMPILER_VERSION MATCHES "^${HEDDLE_CLANG_VERSION}\\."))
      message(FATAL_ERROR "heddle_instrument(${target}) needs clang ${HEDDLE_CLANG_VERSION}, and "
        "CMAKE_${language}_COMPILER is ${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION}: "
        "configure with CC=clang-${HEDDLE_CLANG_VERSION} CXX=clang++-${HEDDLE_CLANG_VERSION}")
    endif()
  endforeach()

  # Before the target's own options, so that those have the last word.
  target_compile_options(${target} BEFORE PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fpass-plugin=${HEDDLE_INSTRUMENT_PLUGIN}>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:C,CXX>:-isystem${HEDDLE_PRELUDE}>
    $<$<COMPILE_LANGUAGE:C,CXX>:-idirafter${HEDDLE_RUNTIME_DIR}/api>)
  # Line tables name the sites; a build type or option with more of debug information stays as it is.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  set(flags "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${config}} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
  if(NOT flags MATCHES "(^| )-g([0-3]|gdb|dwarf| |$)")
    target_compile_options(${target} BEFORE PRIVATE
      $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug,RelWithDebInfo>>>:-g1>)
  endif()

  # Before every library of the target, so that the runtime's symbols come before those of libc and libstdc++. A static
  # library hands that on to what it is linked into.
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    set(scope INTERFACE)
  endif()
  target_link_options(${target} BEFORE ${scope}
    -L${HEDDLE_RUNTIME_DIR} LINKER:--push-state,--no-as-needed -lheddle_rt LINKER:--pop-state
    LINKER:-rpath,${HEDDLE_RUNTIME_DIR} LINKER:-z,now LINKER:--build-id=sha1)

  # Recompile when the pass changes. A dependency of the target orders linking, not compiling, so an object could be
  # built before the pass exists or kept after it has changed.
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^\\$<")
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${HEDDLE_INSTRUMENT_PLUGIN})
  if(TARGET heddle_instrument)
    add_dependencies(${target} heddle_instrument)
  endif()
  if(TARGET heddle_rt)
    add_dependencies(${target} heddle_rt)
  endif()
endfunction()
