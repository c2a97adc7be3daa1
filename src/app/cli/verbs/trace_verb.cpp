// heddle trace: shows, compares and converts traces.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/clip_input.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/verb.h"
#include "report/failure/slice_report.h"
#include "report/run_json.h"
#include "slice/failure_slice.h"
#include "support/counted.h"
#include "support/files.h"
#include "trace/text/diff.h"
#include "trace/text/perfetto_export.h"
#include "trace/text/std_form.h"
#include "trace/text/summary.h"
#include "trace/text/text_form.h"

namespace heddle::cli {
namespace {

using report::Json;

struct TraceVerb {
  CommonOptions common;
  std::string path;
  std::string other_path;
  std::string format = "text";
  std::string output_path;
  std::uint64_t first = 0;
  std::uint64_t count = ~std::uint64_t{0};
};

Json problems_json(const std::vector<trace::Problem>& problems) {
  Json json = Json::array();
  for (const trace::Problem& problem : problems) json.push_back(problem.message);
  return json;
}

// Reports problems after the readable part was printed. A trace that is only cut short is a valid prefix: exit code 0.
ExitCode print_problems(const std::string& path, const std::vector<trace::Problem>& problems) {
  bool damaged = false;
  for (const trace::Problem& problem : problems) {
    say(path + ": " + problem.message);
    damaged = damaged || !problem.cut_short;
  }
  return damaged ? ExitCode::Usage : ExitCode::Done;
}

Result<ExitCode> show_info(const TraceVerb& verb, const Invocation& invocation) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(verb.path);
  if (!reader) return reader.error();
  const trace::TraceSummary summary = trace::summarize(*reader);
  const trace::TraceTables& tables = reader->tables();
  const std::size_t threads = tables.threads.rows().size() + 1;
  Json kinds = Json::object();
  for (const auto& [kind, count] : summary.events_by_kind) {
    const char* word = format::event_word(kind);
    kinds[word != nullptr ? word : std::to_string(static_cast<int>(kind))] = count;
  }
  Json by_thread = Json::object();
  for (const auto& [thread, count] : summary.events_by_thread) by_thread[tables.threads.name(thread)] = count;
  if (invocation.json) {
    Json json;
    json["program"] = tables.header.program;
    json["arguments"] = tables.header.arguments;
    json["build_id"] = tables.header.build_id;
    json["failure"] = report::nullable(tables.failure.outcome);
    json["events"] = summary.events;
    json["steps"] = summary.steps;
    json["threads"] = threads;
    json["switches"] = summary.switches;
    json["preemptions"] = summary.preemptions;
    json["sites_seen"] = summary.sites_seen;
    json["sites_known"] = summary.sites_known;
    json["values"] = summary.values;
    json["events_by_kind"] = kinds;
    json["events_by_thread"] = by_thread;
    json["problems"] = problems_json(summary.problems);
    print_json(report::dump(json));
  } else {
    const std::string failure = tables.failure.outcome.empty() ? "" : "failure      " + tables.failure.outcome + "\n";
    fmt::print("program      {}", tables.header.program);
    for (const std::string& argument : tables.header.arguments) fmt::print(" {}", argument);
    fmt::print(
        "\nevents       {}\nthreads      {}\nswitches     {} ({} preemptions)\nsites        {} seen of {}\n"
        "with values  {}\n{}",
        summary.events, threads, summary.switches, summary.preemptions, summary.sites_seen, summary.sites_known,
        summary.values, failure);
    for (const auto& [kind, count] : kinds.items()) fmt::print("  {:<16} {}\n", kind, count.dump());
    for (const auto& [thread, count] : by_thread.items()) fmt::print("  thread {:<9} {}\n", thread, count.dump());
  }
  return print_problems(verb.path, summary.problems);
}

Result<ExitCode> dump_events(const TraceVerb& verb, const Invocation&) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(verb.path);
  if (!reader) return reader.error();
  trace::write_events_text(*reader, verb.first, verb.count, std::cout);
  std::cout.flush();
  return print_problems(verb.path, reader->problems());
}

Status write_export(const TraceVerb& verb, trace::TraceReader& reader, std::ostream& out) {
  if (verb.format == "std") return trace::export_std(reader, out);
  if (verb.format == "perfetto") {
    trace::export_perfetto(reader, out);
    return ok_status();
  }
  trace::write_tables_text(reader.tables(), out);
  trace::write_events_text(reader, 0, ~trace::StepIndex{0}, out);
  return ok_status();
}

Result<ExitCode> export_trace(const TraceVerb& verb, const Invocation&) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(verb.path);
  if (!reader) return reader.error();
  if (verb.output_path.empty()) {
    if (Status written = write_export(verb, *reader, std::cout); !written) return written.error();
    std::cout.flush();
    return print_problems(verb.path, reader->problems());
  }
  // Replaces an existing file only when the export is complete.
  const bool in_place = is_special_file(verb.output_path);
  const std::string target = in_place ? verb.output_path : file_behind_links(verb.output_path);
  const std::string temporary = in_place ? target : target + ".part";
  std::ofstream out(temporary, std::ios::binary);
  Status written = write_export(verb, *reader, out);
  out.close();
  if (written && !out) written = Error{"cannot write " + verb.output_path + ": " + std::strerror(errno)};
  if (written && !in_place && std::rename(temporary.c_str(), target.c_str()) != 0) {
    written = Error{"cannot write " + verb.output_path + ": " + std::strerror(errno)};
  }
  if (!written) {
    if (!in_place) std::remove(temporary.c_str());
    return written.error();
  }
  return print_problems(verb.path, reader->problems());
}

Json side_json(const std::optional<trace::Event>& event, const trace::TraceTables& tables) {
  return event ? Json(trace::described_event_text(*event, tables)) : Json(nullptr);
}

Result<ExitCode> diff_traces(const TraceVerb& verb, const Invocation& invocation) {
  Result<trace::TraceReader> left = trace::TraceReader::open(verb.path);
  if (!left) return left.error();
  Result<trace::TraceReader> right = trace::TraceReader::open(verb.other_path);
  if (!right) return right.error();
  const std::optional<trace::TraceDifference> difference = trace::find_first_difference(*left, *right);
  if (invocation.json) {
    Json json;
    json["equal"] = !difference.has_value();
    json["first_difference"] = nullptr;
    if (difference) {
      json["first_difference"] = {{"step", difference->step},
                                  {"fields", difference->fields},
                                  {"left", side_json(difference->left, left->tables())},
                                  {"right", side_json(difference->right, right->tables())}};
    }
    print_json(report::dump(json));
  } else if (difference) {
    for (const trace::Event& event : difference->before) {
      fmt::print("  {}\n", trace::described_event_text(event, left->tables()));
    }
    const auto print_side = [](char mark, const std::optional<trace::Event>& event, const trace::TraceTables& tables) {
      fmt::print("{} {}\n", mark, event ? trace::described_event_text(*event, tables) : "(the run has ended)");
    };
    print_side('-', difference->left, left->tables());
    print_side('+', difference->right, right->tables());
  } else if (!invocation.quiet) {
    fmt::print("equal: {}\n", counted(left->steps(), "event"));
  }
  const ExitCode left_code = print_problems(verb.path, left->problems());
  const ExitCode right_code = print_problems(verb.other_path, right->problems());
  if (left_code != ExitCode::Done || right_code != ExitCode::Done) return ExitCode::Usage;
  return difference ? ExitCode::Found : ExitCode::Done;
}

Result<slice::FailureSlice> slice_clip(const TraceVerb& verb, const Invocation& invocation) {
  const Result<run::ReplayOptions> replay = make_replay_options(verb.common, invocation);
  if (!replay) return replay.error();
  const Result<clip::Clip> clip = read_whole_clip(verb.path);
  if (!clip) return clip.error();
  return slice::slice_clip(*clip, *replay);
}

Result<ExitCode> show_slice(const TraceVerb& verb, const Invocation& invocation) {
  const Result<slice::FailureSlice> slice =
      trace::is_trace(verb.path) ? slice::slice_trace(verb.path) : slice_clip(verb, invocation);
  if (!slice) return slice.error();
  if (invocation.json)
    print_json(report::dump(report::slice_json(*slice)));
  else
    fmt::print("{}", report::slice_text(*slice));
  return ExitCode::Done;
}

CLI::App* add_part(CLI::App& trace, const char* name, const char* what, const std::shared_ptr<TraceVerb>& verb,
                   Invocation& invocation) {
  CLI::App* part = trace.add_subcommand(name, what);
  add_input(*part, invocation, "FILE", verb->path, "The trace (.htrace)", {FileKind::Trace})->required();
  add_output_options(*part, invocation);
  return part;
}

}  // namespace

void add_trace_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<TraceVerb>();
  CLI::App* trace = app.add_subcommand("trace", "Examine traces: info, dump, export, diff, slice");
  trace->require_subcommand(1);
  add_output_options(*trace, invocation);
  trace->footer("Example: heddle trace export --format perfetto -o run.json run.htrace");

  CLI::App* info = add_part(*trace, "info", "Figures of the trace", verb, invocation);
  set_action(*info, invocation, verb, show_info);

  CLI::App* dump = add_part(*trace, "dump", "The events as text", verb, invocation);
  add_number(*dump, "--first", verb->first, "Step to begin with [0]", kAnyNumber);
  add_number(*dump, "--count", verb->count, "Maximal number of events", kAnyNumber);
  set_action(*dump, invocation, verb, dump_events);

  CLI::App* exported = add_part(*trace, "export", "Convert to another format", verb, invocation);
  add_choice(*exported, "--format", verb->format,
             "std (for predictive analysers), perfetto (for ui.perfetto.dev) or text [text]",
             {"std", "perfetto", "text"});
  add_output_file(*exported, invocation, "-o,--output", verb->output_path, "File to write [stdout]");
  set_action(*exported, invocation, verb, export_trace);

  CLI::App* slice =
      trace->add_subcommand("slice", "Events that a failure depends on, of a HEDDLE_HOOKS=branches build");
  add_input(*slice, invocation, "FILE", verb->path, "A clip, which is replayed, or a trace recorded with --flow",
            {FileKind::Clip, FileKind::Trace})
      ->required();
  add_common_options(*slice, verb->common, invocation, ProgramUse::Optional);
  set_action(*slice, invocation, verb, show_slice);

  CLI::App* diff = add_part(*trace, "diff", "The first event in which two traces differ", verb, invocation);
  add_input(*diff, invocation, "OTHER", verb->other_path, "The other trace", {FileKind::Trace})->required();
  set_action(*diff, invocation, verb, diff_traces);
}

}  // namespace heddle::cli
