#include "cli/verbs/trace_slice.h"

#include <fmt/format.h>

#include "cli/clip_input.h"
#include "report/failure/slice_report.h"
#include "slice/failure_slice.h"
#include "trace/file/trace_reader.h"

namespace heddle::cli {

namespace {

Result<slice::FailureSlice> slice_clip(const std::string& path, const CommonOptions& common,
                                       const Invocation& invocation) {
  const Result<run::ReplayOptions> replay = make_replay_options(common, invocation);
  if (!replay) return replay.error();
  const Result<clip::Clip> clip = read_whole_clip(path);
  if (!clip) return clip.error();
  return slice::slice_clip(*clip, *replay);
}

}  // namespace

Result<ExitCode> show_slice(const std::string& path, const CommonOptions& common, const Invocation& invocation) {
  const Result<slice::FailureSlice> slice =
      trace::is_trace(path) ? slice::slice_trace(path) : slice_clip(path, common, invocation);
  if (!slice) return slice.error();
  if (invocation.json)
    print_json(report::dump(report::slice_json(*slice)));
  else
    fmt::print("{}", report::slice_text(*slice));
  return ExitCode::Done;
}

}  // namespace heddle::cli
