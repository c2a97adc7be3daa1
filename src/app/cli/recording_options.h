#pragma once
#include <string>

#include "cli/verb.h"
#include "support/result.h"

namespace heddle::cli {

// The options of a trace, as typed.
struct RecordingOptions {
  std::string path;  // empty: no trace
  bool values = false;
  bool flow = false;
};

// `what`: the help text of --record.
void add_recording_options(CLI::App& verb, RecordingOptions& options, Invocation& invocation, const char* what);
Status check_recording(const RecordingOptions& options, const std::string& program);

}  // namespace heddle::cli
