#include "cli/recording_options.h"

#include "binary/program_file.h"
#include "cli/parsing/checked_options.h"
#include "slice/failure_slice.h"

namespace heddle::cli {

void add_recording_options(CLI::App& verb, RecordingOptions& options, Invocation& invocation, const char* what) {
  add_output_file(verb, invocation, "--record", options.path, what, {}, Writing::InPlace);
  verb.add_flag("--values", options.values, "Record the values that are read and written too");
  verb.add_flag(
      "--flow", options.flow,
      "Record what heddle trace slice needs too: blocks, calls and private accesses, of a HEDDLE_HOOKS=branches build");
}

Status check_recording(const RecordingOptions& options, const std::string& program) {
  if (options.path.empty()) {
    if (options.values) return Error{"--values says what to record; add --record FILE.htrace"};
    return options.flow ? Error{"--flow says what to record; add --record FILE.htrace"} : ok_status();
  }
  if (!options.flow) return ok_status();
  if (options.values) return Error{"with --flow no values are recorded; leave out --values"};
  const Result<binary::ProgramFile> file = binary::find_program(program);
  return file ? slice::check_flow_table(file->path) : Status(file.error());
}

}  // namespace heddle::cli
