# heddle_add_test(NAME <name> COMMAND <program> [<argument>...] [RUNS <n>] [SEED <n>] [JUNIT <file>] [OPTIONS
# <option>...])
#
# Adds the ctest <name>: `heddle test` on <program>, a target (instrumented, see heddle_instrument) or a path. A
# GoogleTest binary is explored test by test; any other program, one of Catch2 with the name of a test as its argument
# for example, is one test. RUNS are schedules for each test. The clips of what fails are in heddle-clips/<name> of the
# build folder.
#
# HeddleConfig.cmake sets HEDDLE_EXECUTABLE, the tool.
function(heddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;RUNS;SEED;JUNIT" "COMMAND;OPTIONS")
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "heddle_add_test needs NAME and COMMAND: heddle_add_test(NAME queue COMMAND queue_test)")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_add_test(NAME ${arg_NAME}) does not know: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(options --out ${CMAKE_CURRENT_BINARY_DIR}/heddle-clips/${arg_NAME})
  foreach(option RUNS SEED JUNIT)
    if(DEFINED arg_${option})
      string(TOLOWER ${option} word)
      list(APPEND options --${word} ${arg_${option}})
    endif()
  endforeach()
  add_test(NAME ${arg_NAME}
           COMMAND ${HEDDLE_EXECUTABLE} test ${options} ${arg_OPTIONS} -- ${program} ${arg_COMMAND})
endfunction()
