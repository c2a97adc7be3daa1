// heddle core: from a core file to a schedule that fails in the same way.
#include <memory>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/verb.h"
#include "coredump/core_analysis.h"
#include "report/failure/core_report.h"
#include "run/interrupt.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

struct CoreVerb {
  CommonOptions common;
  std::string core;
  std::string program;
  std::string out = "heddle-clips";
  std::string search = "dependence";
  unsigned preemptions = 2;
  std::uint64_t tries = 100'000;
  std::optional<std::chrono::milliseconds> time;
  std::string align = "index";
  std::string export_to;
  std::string key;
  bool sync_only = false;
  bool from_passing_run = false;
  bool keep_aligned_core = false;
};

Result<coredump::CoreOptions> make_options(const CoreVerb& verb, const Invocation& invocation) {
  Result<run::RunOptions> run = make_run_options(verb.common, invocation);
  if (!run) return run.error();
  coredump::CoreOptions options;
  options.core_path = verb.core;
  options.key_path = verb.key;
  options.production_program = verb.program;
  options.run = std::move(*run);
  options.out_directory = verb.out;
  options.at_accesses = !verb.sync_only;
  if (verb.from_passing_run) options.wanted = coredump::Wanted::PassingRuns;
  options.keep_aligned_core = verb.keep_aligned_core;
  options.by_count = verb.align == "count";
  options.search.preemptions_max = verb.preemptions;
  options.search.tries_max = verb.tries;
  coredump::parse_search(verb.search, options.search.method);
  if (options.run.engine != format::EngineKind::Fiber)
    return Error{"heddle core needs the fiber engine; leave out --engine"};
  if (verb.time) options.search.time = *verb.time;
  return options;
}

Result<ExitCode> write_export(const CoreVerb& verb, const Invocation& invocation) {
  if (Status writable = check_writable_path(verb.export_to + ".key"); !writable)
    return Error{"--export: " + writable.error().message};
  if (!invocation.program.empty()) return Error{"--export does not run a program; leave out -- and the words after it"};
  const Result<coredump::ExportReport> report = coredump::export_core(verb.core, verb.program, verb.export_to);
  if (!report) return report.error();
  print_result(invocation, report::export_json(verb.export_to, *report), report::export_text(verb.export_to, *report),
               true);
  return ExitCode::Done;
}

Result<ExitCode> analyse(const CoreVerb& verb, const Invocation& invocation) {
  if (!verb.export_to.empty()) return write_export(verb, invocation);
  const Result<coredump::CoreOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  ProgressLine line(invocation.quiet);
  const Result<coredump::CoreReport> report =
      coredump::analyse_core(*options, [&](const auto& progress) { line.show(progress); });
  line.clear();
  if (!report) return report.error();
  print_result(invocation, report::core_json(*report), report::core_text(*report), true);
  if (report->interrupted) run::obey_interrupt();
  return report->search.clip.empty() ? ExitCode::Found : ExitCode::Done;
}

}  // namespace

void add_core_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<CoreVerb>();
  CLI::App* command = app.add_subcommand("core", "Turn the core of a crash into a schedule that fails in the same way");
  command->footer(
      "Example: heddle core core.1234 --program ./server -- ./server-branches --port 80\n"
      "The program that crashed is built with HEDDLE_BUILD=production, the one after -- from the same source with "
      "HEDDLE_HOOKS=branches. Exit code 1: no such schedule found.");
  add_input(*command, invocation, "CORE", verb->core, "The core file",
            {FileKind::Core, FileKind::CoreExport, FileKind::Compressed})
      ->required();
  add_input(*command, invocation, "--program", verb->program, "The installed program that crashed, not stripped",
            {FileKind::Program, FileKind::Library})
      ->required();
  add_output_file(
      *command, invocation, "--export", verb->export_to,
      "Write the data for the analysis, without values, to this file (and its key to FILE.key); CORE may be such "
      "a file",
      {}, Writing::InPlace);
  add_input(*command, invocation, "--key", verb->key, "The key of an export [EXPORT.key]", {FileKind::CoreKey});
  add_output_directory(*command, invocation, "--out", verb->out, "Directory for the clip [heddle-clips]",
                       [verb] { return verb->export_to.empty(); });
  add_choice(*command, "--search", verb->search,
             "Order of the search: dependence or temporal (both by distance from the failure), chess (unsorted)",
             {"dependence", "temporal", "chess"});
  add_choice(
      *command, "--align", verb->align,
      "How the run is aligned with the crash: by index, or by the count of points, as a performance counter would "
      "provide it (production build with HEDDLE_COUNT_POINTS=1)",
      {"index", "count"});
  add_number(*command, "--preemptions", verb->preemptions, "Maximal number of preemptions: 1 or 2 [2]", {1, 2});
  add_number(*command, "--tries", verb->tries, "Maximal number of schedules [100000]");
  add_duration(*command, "--time", verb->time, "Real time for the search at most, as 30s or 5m; 0: no limit",
               Zero::NoBound);
  command->add_flag("--sync-only", verb->sync_only, "Preempt at synchronisation only, as the paper does");
  command->add_flag(
      "--from-passing-run", verb->from_passing_run,
      "Always search from a passing run, as the paper does, even if the threads fail when they reach their "
      "positions in the core");
  command->add_flag("--keep-aligned-core", verb->keep_aligned_core,
                    "Write the state with which the core was compared to OUT/aligned.core");
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  set_action(*command, invocation, verb, analyse);
}

}  // namespace heddle::cli
