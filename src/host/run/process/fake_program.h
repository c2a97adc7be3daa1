#pragma once
#include <string>
#include <vector>

#include "run/run_options.h"

namespace heddle::run {

// For tests: the options of a run of fake_program.cpp.
inline RunOptions fake_run(std::vector<std::string> arguments) {
  RunOptions options;
  options.program = HEDDLE_FAKE_PROGRAM;
  options.arguments = std::move(arguments);
  options.output = Output::Discard;
  return options;
}

}  // namespace heddle::run
