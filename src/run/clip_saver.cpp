#include "run/clip_saver.h"

#include <filesystem>

#include "run/clip_builder.h"
#include "run/clip_writer.h"
#include "run/interrupt.h"

namespace heddle::run {

Result<SavedClip> save_clip(Runner& runner, const RunOptions& options, const SessionInputs& inputs,
                            format::OutcomeKind expected, const std::string& path) {
  const InterruptShield until_it_is_written;
  RunOptions quiet = options;
  quiet.output = Output::Discard;
  Result<RunReport> report = runner.run_once(quiet, inputs);
  if (!report) return report.error();
  if (report->outcome.kind != expected) {
    return Error{std::string("the same schedule ended with ") + outcome_word(report->outcome.kind) +
                 " the second time; see: heddle check"};
  }
  return save_clip(runner, quiet, std::move(*report), path);
}

Result<SavedClip> save_clip(Runner& runner, const RunOptions& options, RunReport report, const std::string& path) {
  const InterruptShield until_it_is_written;
  SavedClip saved;
  Clip clip = build_clip(options, report);
  saved.problems = annotate_clip(clip, options, runner);
  saved.report = std::move(report);
  saved.path = path;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  if (Status written = write_clip(clip, path); !written) return written.error();
  return saved;
}

}  // namespace heddle::run
