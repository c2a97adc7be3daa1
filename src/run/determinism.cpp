#include "run/determinism.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "support/unique_fd.h"
#include "trace/diff.h"
#include "trace/text_form.h"
#include "trace/trace_reader.h"

namespace heddle::run {
namespace {

// A name for a trace that goes away with this object.
class TemporaryTrace {
 public:
  TemporaryTrace() : path_((std::filesystem::temp_directory_path() / "heddle_check_XXXXXX").string()) {
    file_ = UniqueFd(::mkstemp(path_.data()));
  }
  ~TemporaryTrace() {
    if (file_.valid()) ::unlink(path_.c_str());
  }
  TemporaryTrace(const TemporaryTrace&) = delete;
  TemporaryTrace& operator=(const TemporaryTrace&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  UniqueFd file_;
};

DifferingEvent describe(const std::optional<trace::Event>& event, const trace::TraceTables& tables) {
  if (!event) return {};
  return {trace::described_event_text(*event, tables), tables.threads.name(event->thread),
          trace::place_text(tables, event->site_id())};
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
  difference.fields = found->fields;
  difference.first = describe(found->left, first->tables());
  difference.second = describe(found->right, second->tables());
  for (const trace::Event& event : found->before) {
    difference.before.push_back(trace::described_event_text(event, first->tables()));
  }
  return std::optional(std::move(difference));
}

}  // namespace

Result<DeterminismReport> check_determinism(const RunOptions& options, Runner& runner) {
  const TemporaryTrace first_trace, second_trace;
  RunOptions recorded = options;
  DeterminismReport report;
  recorded.record_path = first_trace.path();
  Result<RunReport> first = runner.run_once(recorded);
  if (!first) return first.error();
  report.first = std::move(*first);
  recorded.record_path = second_trace.path();
  recorded.output = Output::Discard;
  Result<RunReport> second = runner.run_once(recorded);
  if (!second) return second.error();
  report.second = std::move(*second);

  Result<std::optional<FirstDifference>> difference = compare(first_trace.path(), second_trace.path());
  if (!difference) return difference.error();
  report.difference = std::move(*difference);
  // What differs without an event that shows it: the output of a predicate, a hash over what is not recorded.
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

}  // namespace heddle::run
