# Writes the commit of the source tree as C++, when it has changed: a build of the same commit links nothing again.
#
#   cmake -DSOURCE_DIR=<tree> -DGIT=<git> -DOUTPUT=<commit.cpp> -P HeddleCommit.cmake
#
# A tree without git, or one that lies inside of another repository, has no commit.
set(commit "")
set(modified false)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --show-cdup
                  OUTPUT_VARIABLE way_to_top RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed AND way_to_top STREQUAL "")
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE_DIR} describe
                            --always --dirty --abbrev=10 --exclude=*
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(described MATCHES "^([0-9a-f]+)(-dirty)?$")
  set(commit ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2)
    set(modified true)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "cli/commit.h"

namespace heddle::cli {
const char* const kCommit = "@commit@";
const bool kCommitModified = @modified@;
}  // namespace heddle::cli
]] @ONLY)
