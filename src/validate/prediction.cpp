#include "validate/prediction.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "predict/model_builder.h"
#include "run/clip_builder.h"
#include "run/clip_reader.h"
#include "run/interrupt.h"
#include "run/runner.h"
#include "support/files.h"
#include "support/temporary_file.h"
#include "trace/std_form.h"
#include "trace/trace_reader.h"

namespace heddle::validate {
namespace {

using Clock = std::chrono::steady_clock;
using predict::NodeKind;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

const char* access_word(NodeKind kind) {
  switch (kind) {
    case NodeKind::Read:
      return "read";
    case NodeKind::Write:
      return "write";
    case NodeKind::Update:
      return "update";
    case NodeKind::Free:
      return "free";
    case NodeKind::Acquire:
      return "lock";
    case NodeKind::AcquireShared:
      return "read_lock";
    case NodeKind::Release:
      return "unlock";
    case NodeKind::ReleaseShared:
      return "read_unlock";
    case NodeKind::Fork:
      return "fork";
    case NodeKind::Join:
      return "join";
    case NodeKind::Wait:
      return "wait";
    case NodeKind::Woken:
      return "woken";
    case NodeKind::Notify:
      return "notify";
    case NodeKind::Other:
      return "other";
  }
  return "";
}

AnomalyAccess describe(const predict::AnomalyEvent& event, const trace::TraceTables& tables) {
  AnomalyAccess access;
  access.thread = tables.threads.name(event.thread);
  access.access = access_word(event.kind);
  if (const trace::TraceSite* site = tables.find_site(event.site)) {
    access.file = site->file;
    access.line = site->line;
    access.function = run::demangle(site->function);
  }
  return access;
}

Anomaly describe(const predict::Prediction& prediction, const trace::TraceTables& tables) {
  Anomaly anomaly;
  anomaly.kind = prediction.kind;
  anomaly.pattern = prediction.pattern;
  anomaly.unit = prediction.unit ? predict::unit_kind_word(*prediction.unit) : "";
  anomaly.sort = prediction.sort;
  anomaly.rung = prediction.witness.rung;
  for (const predict::AnomalyEvent& event : prediction.events) anomaly.accesses.push_back(describe(event, tables));
  return anomaly;
}

bool is_std(const std::string& path) { return path.ends_with(".std"); }

class Predicting {
 public:
  Predicting(const PredictionOptions& options, const std::function<void(const std::string&)>& show)
      : options_(options), show_(show) {}

  Result<PredictionReport> run() {
    if (is_std(options_.trace_path)) return analyse_std();
    TemporaryFile recorded;
    std::string path = options_.trace_path;
    if (path.empty()) {
      if (Status made = record(recorded.path()); !made) return made.error();
      if (report_.interrupted) return std::move(report_);
      path = recorded.path();
    }
    Result<trace::TraceReader> reader = trace::TraceReader::open(path);
    if (!reader) return reader.error();
    report_.events = reader->steps();
    if (Status done_all = analyse_and_validate(*reader); !done_all) return done_all.error();
    if (Status fed_back = feed_back(); !fed_back) return fed_back.error();
    return std::move(report_);
  }

 private:
  void show(const std::string& text) {
    if (show_) show_(text);
  }

  Status record(const std::string& path) {
    if (path.empty()) return Error{"cannot make a temporary file for the trace"};
    show("recording one run");
    run::RunOptions options = options_.run;
    options.record_path = path;
    options.record_values = true;
    options.arm_mode = format::ArmMode::All;
    options.strategy = format::StrategyKind::Sequential;
    options.output = run::Output::Discard;
    if (options.stdin_file.empty()) options.stdin_file = "/dev/null";
    const Clock::time_point begin = Clock::now();
    run::Runner runner;
    const Result<run::RunReport> report = runner.run_once(options);
    if (!report) return report.error();
    report_.record_seconds = seconds_since(begin);
    report_.interrupted = report->interrupted;
    if (report->outcome.uncontrolled()) return Error{report->outcome.message, ExitCode::Uncontrolled};
    if (report->outcome.failed() && !report->interrupted) report_.failed_run = report->outcome;
    return done();
  }

  Result<PredictionReport> analyse_std() {
    const Result<std::string> text = read_file(options_.trace_path);
    if (!text) return text.error();
    const Result<trace::StdTrace> imported = trace::import_std(*text);
    if (!imported) return Error{options_.trace_path + ": " + imported.error().message};
    const trace::Trace* trace = &imported->trace;
    report_.events = trace->events.size();
    const Clock::time_point begin = Clock::now();
    const Result<predict::Model> model = predict::build_model(*trace);
    if (!model) return model.error();
    add(predict::predict(*model, options_.predict), trace->tables);
    report_.analysis_seconds = seconds_since(begin);
    return std::move(report_);
  }

  // Appends what is new, and returns the predictions that are.
  std::vector<predict::Prediction> add(predict::Predictions found, const trace::TraceTables& tables) {
    for (unsigned kind = 0; kind < predict::kAnomalyKinds; ++kind)
      report_.candidates[predict::anomaly_kind_word(static_cast<predict::AnomalyKind>(kind))] += found.candidates[kind];
    for (const double seconds : found.schedule_seconds) report_.schedule_seconds += seconds;
    std::vector<predict::Prediction> fresh;
    for (predict::Prediction& prediction : found.found) {
      Anomaly anomaly = describe(prediction, tables);
      const bool ignored = std::any_of(anomaly.accesses.begin(), anomaly.accesses.end(), [&](const AnomalyAccess& access) {
        return options_.ignore.ignores(access.file, access.line, access.function);
      });
      const std::string key = key_of(anomaly);
      if (ignored) {
        ++report_.ignored;
        continue;
      }
      if (!keys_.insert(key).second) continue;
      anomaly.is_new = std::find(options_.baseline.begin(), options_.baseline.end(), key) == options_.baseline.end();
      report_.anomalies.push_back(std::move(anomaly));
      fresh.push_back(std::move(prediction));
    }
    return fresh;
  }

  Status analyse_and_validate(trace::TraceReader& reader) {
    show("analysing " + std::to_string(report_.events) + " events");
    const Clock::time_point begin = Clock::now();
    const Result<predict::Model> model = predict::build_model(reader);
    if (!model) return model.error();
    const std::size_t first = report_.anomalies.size();
    const std::vector<predict::Prediction> predictions = add(predict::predict(*model, options_.predict), reader.tables());
    report_.analysis_seconds += seconds_since(begin);
    if (!options_.validate || predictions.empty() || options_.run.program.empty()) return done();
    const Clock::time_point validation_begin = Clock::now();
    ValidateOptions validation = options_.validation;
    validation.run = options_.run;
    validation.first_number = first;
    const Result<std::vector<Verdict>> verdicts =
        validate(reader, predictions, validation, [&](std::size_t finished) {
          show("executing " + std::to_string(finished) + " of " + std::to_string(predictions.size()));
        });
    if (!verdicts) return verdicts.error();
    for (std::size_t i = 0; i < verdicts->size(); ++i) {
      Anomaly& anomaly = report_.anomalies[first + i];
      anomaly.verdict = (*verdicts)[i];
      if (anomaly.verdict.status == Standing::Infeasible && anomaly.verdict.missing < anomaly.accesses.size()) {
        const AnomalyAccess& missing = anomaly.accesses[anomaly.verdict.missing];
        anomaly.diverged_at = missing.file + ":" + std::to_string(missing.line);
      }
    }
    report_.validation_seconds += seconds_since(validation_begin);
    report_.interrupted = run::interrupt_signal() != 0;
    return done();
  }

  // What the first trace did not exercise may be in those of the schedules that were executed: as long as nothing has
  // failed, they are analysed in their turn.
  Status feed_back() {
    std::size_t next = 0;
    for (unsigned round = 0; round < options_.feedback_rounds && options_.validate; ++round) {
      const std::size_t end = report_.anomalies.size();
      unsigned used = 0;
      for (; next < end && used < kFeedbackTraces; ++next) {
        if (report_.failing() != 0 || report_.interrupted || run::interrupt_signal() != 0) return done();
        const Verdict& verdict = report_.anomalies[next].verdict;
        if (verdict.status != Standing::Confirmed || verdict.clip.empty()) continue;
        ++used;
        if (Status analysed = analyse_clip(verdict.clip); !analysed) {
          report_.problems.push_back(analysed.error().message);
          return done();
        }
      }
      next = end;
    }
    return done();
  }

  Status analyse_clip(const std::string& path) {
    const Result<run::ClipReading> reading = run::read_clip(path);
    if (!reading) return reading.error();
    Result<run::RunOptions> options = run::options_of(reading->clip);
    if (!options) return options.error();
    const Result<run::SessionInputs> inputs = run::replay_inputs(reading->clip);
    if (!inputs) return inputs.error();
    TemporaryFile recorded;
    options->strategy = format::StrategyKind::Replay;
    options->record_path = recorded.path();
    options->record_values = true;
    options->output = run::Output::Discard;
    run::Runner runner;
    const Result<run::RunReport> report = runner.run_once(*options, *inputs);
    if (!report) return report.error();
    Result<trace::TraceReader> reader = trace::TraceReader::open(recorded.path());
    if (!reader) return reader.error();
    return analyse_and_validate(*reader);
  }

  static constexpr unsigned kFeedbackTraces = 8;  // in one round

  const PredictionOptions& options_;
  const std::function<void(const std::string&)>& show_;
  PredictionReport report_;
  std::set<std::string> keys_;
};

}  // namespace

std::size_t PredictionReport::count(Standing standing) const {
  return static_cast<std::size_t>(std::count_if(anomalies.begin(), anomalies.end(),
                                                [&](const Anomaly& anomaly) { return anomaly.verdict.status == standing; }));
}

std::size_t PredictionReport::failing() const {
  return static_cast<std::size_t>(std::count_if(anomalies.begin(), anomalies.end(), [](const Anomaly& anomaly) {
    return anomaly.verdict.failure.has_value();
  }));
}

std::string key_of(const Anomaly& anomaly) {
  std::string key = std::string(predict::anomaly_kind_word(anomaly.kind)) + " " + anomaly.pattern;
  for (const AnomalyAccess& access : anomaly.accesses) {
    const std::size_t slash = access.file.rfind('/');
    key += " " + access.access + "@" + (slash == std::string::npos ? access.file : access.file.substr(slash + 1)) + ":" +
           std::to_string(access.line);
  }
  return key;
}

Result<PredictionReport> predict_program(const PredictionOptions& options,
                                         const std::function<void(const std::string&)>& show) {
  const run::InterruptGuard guard;
  return Predicting(options, show).run();
}

}  // namespace heddle::validate
