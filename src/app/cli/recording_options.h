#pragma once
#include <string>

#include "cli/verb.h"
#include "support/result.h"

namespace heddle::cli {

// What to keep of a run, as typed.
struct RecordingOptions {
  std::string path;  // empty: nothing
  bool values = false;
  bool flow = false;
};

// `what`: the text of --record.
void add_recording_options(CLI::App& verb, RecordingOptions& options, Invocation& invocation, const char* what);
Status check_recording(const RecordingOptions& options, const std::string& program);

}  // namespace heddle::cli
