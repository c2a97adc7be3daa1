#include "experiment/clip_saver.h"

#include <filesystem>

#include "clip/clip_writer.h"
#include "run/replay/clip_builder.h"

namespace heddle::experiment {

Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, const run::SessionInputs& inputs,
                            format::OutcomeKind expected, const std::string& path) {
  run::RunOptions quiet = options;
  quiet.output = run::Output::Discard;
  quiet.stop = options.stop.for_saving();
  quiet.annotate = options.annotate || options.known_end || options.stop.is_out_of_time();
  Result<run::RunReport> report = runner.run_once(quiet, inputs);
  if (!report) return report.error();
  if (report->interrupted) return Error{"interrupted"};
  if (report->outcome.kind != expected) {
    return Error{std::string("the same schedule ended with ") + run::outcome_word(report->outcome.kind) +
                 " the second time; see: heddle check"};
  }
  return save_clip(runner, quiet, std::move(*report), path);
}

Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, run::RunReport report,
                            const std::string& path) {
  SavedClip saved;
  clip::Clip clip = run::build_clip(options, report);
  run::RunOptions saving = options;
  saving.stop = options.stop.for_saving();
  if (options.annotate)
    run::describe_switches(clip, report, runner);
  else
    saved.problems = run::annotate_clip(clip, saving, runner);
  saved.report = std::move(report);
  saved.path = path;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  if (Status written = clip::write_clip(clip, path); !written) return written.error();
  return saved;
}

}  // namespace heddle::experiment
