// heddle explain: the cause of a failure.
#include <unistd.h>

#include <memory>

#include "cli/clip_input.h"
#include "cli/collected_ranking.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "cli/whole_run_export.h"
#include "explain/explainer.h"
#include "report/failure/explain_json.h"
#include "report/failure/explain_text.h"
#include "report/html/explain_html.h"
#include "run/interrupt.h"

namespace heddle::cli {
namespace {

struct ExplainVerb {
  CommonOptions common;
  std::string clip_path;
  std::string html;
  std::string perfetto;
  std::vector<std::string> graphs;
  std::optional<std::chrono::milliseconds> time;
};

Result<ExitCode> explain_clip(const ExplainVerb& verb, const Invocation& invocation) {
  explain::ExplainOptions options;
  Result<run::ReplayOptions> replay = make_replay_options(verb.common, invocation);
  if (!replay) return replay.error();
  options.replay = std::move(*replay);
  if (verb.time) options.time = *verb.time;
  Result<std::vector<graph::RankedPoint>> ranking = rank_collected(verb.graphs);
  if (!ranking) return ranking.error();
  const Result<clip::Clip> clip = read_whole_clip(verb.clip_path);
  if (!clip) return clip.error();
  ProgressLine line(invocation.quiet);
  Result<explain::Explanation> explanation =
      explain::explain(*clip, options, [&](const auto& progress) { line.show(progress); });
  line.clear();
  if (options.replay.stop.is_interrupted()) run::obey_interrupt();
  if (!explanation) return explanation.error();
  explanation->clip = verb.clip_path;
  if (!verb.html.empty()) {
    const Result<std::string> page =
        report::write_explain_html(*explanation, verb.html, {{}, {}, {}, std::move(*ranking)});
    if (!page) return page.error();
    if (!invocation.quiet) say("the report is in " + *page);
  }
  if (!verb.perfetto.empty())
    if (Status written = export_whole_run(*clip, options.replay, verb.perfetto); !written) return written.error();
  if (invocation.json)
    print_json(report::dump(report::explain_json(*explanation)));
  else
    std::fputs(report::explain_text(*explanation, ::isatty(STDOUT_FILENO) != 0).c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace

void add_explain_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<ExplainVerb>();
  CLI::App* command = app.add_subcommand("explain", "Say why a clip fails: which accesses, in which order");
  command->footer(
      "Example: heddle explain failure.clip\n"
      "The cause is found by experiment: the smallest change of the schedule that makes the failure disappear.");
  add_input(*command, invocation, "CLIP", verb->clip_path, "The clip", {FileKind::Clip})->required();
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  add_output_directory(*command, invocation, "--html", verb->html, "Directory for an HTML report");
  add_inputs(*command, invocation, "--graphs", verb->graphs,
             "Graphs of many runs (heddle graph collect), whose ranking the report shows",
             {FileKind::Graph, FileKind::Directory})
      ->allow_extra_args(false);
  add_output_file(*command, invocation, "--perfetto", verb->perfetto, "Write the whole run for ui.perfetto.dev");
  add_duration(*command, "--time", verb->time, "Real time for experiments at most, as 30s or 5m [20s]", Zero::Refused);
  set_action(*command, invocation, verb, explain_clip);
}

}  // namespace heddle::cli
