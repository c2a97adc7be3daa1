#include "cli/whole_run_export.h"

#include <sstream>

#include "support/files.h"
#include "support/temporary_file.h"
#include "trace/text/perfetto_export.h"

namespace heddle::cli {

Status export_whole_run(const clip::Clip& clip, run::ReplayOptions replay, const std::string& path) {
  const TemporaryFile recorded;
  if (recorded.path().empty())
    return Error{"cannot make a temporary file for the trace; set TMPDIR to a writable directory"};
  replay.record_path = recorded.path();
  replay.times = 1;
  replay.output = run::Output::Discard;
  run::Runner runner;
  if (const Result<run::ReplayReport> report = run::replay(clip, replay, runner); !report) return report.error();
  Result<trace::TraceReader> reader = trace::TraceReader::open(recorded.path());
  if (!reader) return reader.error();
  std::ostringstream document;
  trace::export_perfetto(*reader, document);
  return write_file(path, document.view());
}

}  // namespace heddle::cli
