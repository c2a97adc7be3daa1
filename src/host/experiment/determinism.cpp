#include "experiment/determinism.h"

#include <algorithm>

#include "format/ring.h"
#include "format/run_result.h"
#include "support/temporary_file.h"
#include "trace/file/trace_reader.h"
#include "trace/text/diff.h"
#include "trace/text/text_form.h"

namespace heddle::experiment {
namespace {

constexpr int kStackTries = 8;

// The scheduling point at which `thread` arrives at its first event from `step` on. The point may be much earlier than
// the event, because the thread can be preempted between the two.
std::uint64_t point_of(const std::string& trace_path, ThreadId thread, trace::StepIndex step) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(trace_path);
  std::uint64_t all = 0;       // points of all threads, up to the last switch
  std::uint64_t own = 0;       // points of `thread`, up to the last switch
  std::uint64_t last_own = 0;  // `all` at the last switch away from `thread`
  std::uint64_t recorded = 0;  // points of `thread` that have an event
  bool read = reader.ok();
  while (read) {
    const std::span<const trace::Event> block = reader->next();
    read = !block.empty();
    for (const trace::Event& event : block) {
      if (event.step >= step) {
        read = false;
        break;
      }
      if (event.kind == format::EventKind::Switch) {
        all += trace::as_switch(event).points;
        if (event.thread != thread) continue;
        own += trace::as_switch(event).points;
        last_own = all;
      } else if (event.thread == thread) {
        recorded += trace::is_point(event);
      }
    }
  }
  return recorded < own ? last_own : all + (recorded - own) + 1;
}

DifferingEvent describe(const std::optional<trace::Event>& event, const trace::TraceTables& tables) {
  if (!event) return {};
  return {trace::described_event_text(*event, tables),
          tables.threads.name(event->thread),
          trace::place_text(tables, event->site_id()),
          {}};
}

Result<std::optional<FirstDifference>> compare(const std::string& first_path, const std::string& second_path) {
  Result<trace::TraceReader> first = trace::TraceReader::open(first_path);
  if (!first) return first.error();
  Result<trace::TraceReader> second = trace::TraceReader::open(second_path);
  if (!second) return second.error();
  const std::optional<trace::TraceDifference> found = trace::find_first_difference(*first, *second);
  if (!found) return std::optional<FirstDifference>();
  FirstDifference difference;
  difference.step = found->step;
  if (found->left) difference.point = point_of(first_path, found->left->thread, found->step);
  difference.fields = found->fields;
  difference.first = describe(found->left, first->tables());
  difference.second = describe(found->right, second->tables());
  for (const trace::Event& event : found->before) {
    difference.before.push_back(trace::described_event_text(event, first->tables()));
  }
  return std::optional(std::move(difference));
}

// The path in a site may be shorter than the path in a frame.
bool stands_at(const std::vector<binary::SourceFrame>& stack, const std::string& place) {
  return std::any_of(stack.begin(), stack.end(), [&](const binary::SourceFrame& frame) {
    const std::size_t end = place.find(":" + std::to_string(frame.line) + ":");
    return frame.line != 0 && end != std::string::npos && end != 0 && frame.file.ends_with(place.substr(0, end));
  });
}

// A trace has no stacks, so the run is repeated and stopped at the difference. The program is not deterministic: the
// repetition may reach either side or neither, so several are made.
void add_stacks(FirstDifference& difference, run::RunOptions options, run::Runner& runner) {
  options.record_path.clear();
  options.output = run::Output::Discard;
  options.steps_max = difference.point;
  if (difference.point == 0) return;
  for (int tries = 0; tries < kStackTries; ++tries) {
    const Result<run::RunReport> report = runner.run_once(options);
    if (!report || report->interrupted) return;
    if (report->outcome.kind != format::OutcomeKind::Livelock) continue;
    bool complete = true;
    for (DifferingEvent* side : {&difference.first, &difference.second}) {
      const bool fits = report->thread == side->thread && stands_at(report->stack, side->place);
      if (side->stack.empty() && fits) side->stack = report->stack;
      complete = complete && (side->text.empty() || !side->stack.empty());
    }
    if (complete) return;
  }
}

}  // namespace

Result<DeterminismReport> check_determinism(const run::RunOptions& options, run::Runner& runner) {
  const TemporaryFile first_trace, second_trace;
  run::RunOptions recorded = options;
  DeterminismReport report;
  recorded.record_path = first_trace.path();
  Result<run::RunReport> first = runner.run_once(recorded);
  if (!first) return first.error();
  report.first = std::move(*first);
  recorded.record_path = second_trace.path();
  recorded.output = run::Output::Discard;
  Result<run::RunReport> second = runner.run_once(recorded);
  if (!second) return second.error();
  report.second = std::move(*second);

  Result<std::optional<FirstDifference>> difference = compare(first_trace.path(), second_trace.path());
  if (!difference) return difference.error();
  report.difference = std::move(*difference);
  if (report.difference) add_stacks(*report.difference, recorded, runner);
  // The runs can also differ without a differing event: in the verdict of --fails-if, or in hashed but unrecorded data.
  const bool same_end = report.first.event_hash == report.second.event_hash &&
                        report.first.outcome.signature == report.second.outcome.signature;
  if (!report.difference && !same_end) {
    FirstDifference end;
    end.step = report.first.events;
    end.fields = {"outcome"};
    end.first.text = report.first.outcome.signature;
    end.second.text = report.second.outcome.signature;
    report.difference = end;
  }
  return report;
}

}  // namespace heddle::experiment
