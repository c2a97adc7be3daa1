#include "cli/recording_options.h"

#include "binary/program_file.h"
#include "cli/parsing/checked_options.h"
#include "slice/failure_slice.h"

namespace heddle::cli {

void add_recording_options(CLI::App& verb, RecordingOptions& options, Invocation& invocation, const char* what) {
  add_output_file(verb, invocation, "--record", options.path, what, {}, Writing::InPlace);
  verb.add_flag("--values", options.values, "Also record the values that are read and written");
  verb.add_flag("--flow", options.flow,
                "Also record what heddle trace slice needs: blocks, calls and private accesses, of a "
                "HEDDLE_HOOKS=branches build");
}

Status check_recording(const RecordingOptions& options, const std::string& program) {
  if (options.path.empty()) {
    if (options.values) return Error{"--values has no effect without a trace; add --record FILE.htrace"};
    return options.flow ? Error{"--flow has no effect without a trace; add --record FILE.htrace"} : ok_status();
  }
  if (!options.flow) return ok_status();
  if (options.values) return Error{"--flow excludes --values; leave out one of them"};
  const Result<binary::ProgramFile> file = binary::find_program(program);
  return file ? slice::check_flow_table(file->path) : Status(file.error());
}

}  // namespace heddle::cli
