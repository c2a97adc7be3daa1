#include "cli/trace_slice.h"

#include <fmt/format.h>

#include "cli/clip_input.h"
#include "report/slice_report.h"
#include "slice/clip_slicer.h"

namespace heddle::cli {

Result<ExitCode> show_slice(const std::string& clip_path, const CommonOptions& common, const Invocation& invocation) {
  const Result<run::ReplayOptions> replay = make_replay_options(common, invocation);
  if (!replay) return replay.error();
  const Result<run::Clip> clip = read_whole_clip(clip_path);
  if (!clip) return clip.error();
  const Result<slice::ClipSlice> slice = slice::slice_clip(*clip, *replay);
  if (!slice) return slice.error();
  if (invocation.json)
    print_json(report::dump(report::slice_json(*slice)));
  else
    fmt::print("{}", report::slice_text(*slice));
  return ExitCode::Done;
}

}  // namespace heddle::cli
