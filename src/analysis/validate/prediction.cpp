#include "validate/prediction.h"

#include <algorithm>
#include <chrono>

#include "predict/model/model_builder.h"
#include "run/interrupt.h"
#include "run/runner.h"
#include "support/duration.h"
#include "support/files.h"
#include "support/temporary_file.h"
#include "trace/file/trace_reader.h"
#include "trace/text/std_form.h"
#include "validate/heuristics.h"

namespace heddle::validate {
namespace {

using Clock = std::chrono::steady_clock;
using experiment::Activity;
using predict::NodeKind;

const char* access_word(NodeKind kind) {
  constexpr const char* kWords[] = {"read",        "write", "update", "free", "lock",  "read_lock", "unlock",
                                    "read_unlock", "fork",  "join",   "wait", "woken", "notify",    "other"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(NodeKind::Other) + 1);
  return kWords[static_cast<unsigned>(kind)];
}

AnomalyAccess describe_access(const predict::AnomalyEvent& event, const trace::TraceTables& tables) {
  AnomalyAccess access;
  access.thread = tables.threads.name(event.thread);
  access.access = access_word(event.kind);
  if (const trace::TraceSite* site = tables.find_site(event.site)) {
    access.file = site->file;
    access.line = site->line;
    access.function = binary::demangle(site->function);
  }
  return access;
}

// An early failure is identified by the events of the anomaly that happened before it.
Anomaly describe_failure(const predict::Prediction& prediction, const EarlyFailure& failure,
                         const trace::TraceTables& tables) {
  Anomaly anomaly = describe(prediction, tables);
  anomaly.kind = predict::AnomalyKind::Order;
  anomaly.pattern = "before " + prediction.pattern;
  anomaly.unit.clear();
  anomaly.accesses.resize(std::min(failure.events_met, anomaly.accesses.size()));
  anomaly.verdict.status = ValidationStatus::Confirmed;
  anomaly.verdict.failure = failure.failure;
  anomaly.verdict.clip = failure.clip;
  return anomaly;
}

RunPaths paths_of(trace::TraceReader& reader) {
  PathRecorder paths;
  const std::vector<std::uint64_t> descents = reader.tables().threads.descents();
  reader.seek(0);
  for (std::span<const trace::Event> events = reader.next(); !events.empty(); events = reader.next()) {
    for (const trace::Event& event : events) {
      const std::size_t thread = number(event.thread);
      paths.add(thread < descents.size() ? descents[thread] : 0, event.site, event.kind);
    }
  }
  return paths.take();
}

// Records or reads a trace, predicts its anomalies, and executes the predictions. Execution has four
// stages: the anomalies of the trace; the same anomalies at other places of the trace; orders of conflicting accesses
// that are not anomalies but may lead to other code; and traces of executed schedules with new paths, which are
// analysed like the first trace, the most novel first. The last three begin only while nothing has failed, or while
// fewer than `executed_after_failure` predictions were executed since. An anomaly of several traces keeps its best
// verdict.
class Predicting {
 public:
  Predicting(const PredictionOptions& options, const experiment::ShowProgress& show) : options_(options), show_(show) {}

  Result<PredictionReport> run() {
    if (options_.trace_path.ends_with(".std")) return analyse_std();
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
    report_.units = units_of(reader->tables());
    if (Status processed = process(*reader); !processed) return processed.error();
    if (Status fed_back = feed_back(); !fed_back) report_.problems.push_back(fed_back.error().message);
    return std::move(report_);
  }

 private:
  static clip::SourceUnits units_of(const trace::TraceTables& tables) {
    std::vector<clip::ModuleIdentity> modules;
    for (const trace::TraceModule& module : tables.modules)
      modules.push_back({module.path, module.build_id, module.first_site != 0});
    return clip::read_source_units(modules);
  }

  Status record(const std::string& path) {
    if (path.empty()) return Error{"cannot make a temporary file for the trace"};
    show_({Activity::RecordingRun});
    run::RunOptions options = options_.run;
    options.strategy = format::StrategyKind::Sequential;
    options.stop = stop_;
    const Clock::time_point begin = Clock::now();
    const Result<run::RunReport> report = record_run(options, {}, path);
    if (!report) return report.error();
    report_.record_seconds = seconds_since(begin);
    report_.interrupted = stop_.is_interrupted();
    if (report->interrupted && !report_.interrupted)
      return Error{"the time was over before one run had been recorded; give --time more", ExitCode::Uncontrolled};
    if (report->outcome.uncontrolled()) return Error{report->outcome.message, ExitCode::Uncontrolled};
    if (report->outcome.failed() && !report->interrupted) report_.failed_run = report->outcome;
    return ok_status();
  }

  static Result<run::RunReport> record_run(run::RunOptions options, const run::SessionInputs& inputs,
                                           const std::string& path) {
    options.record_path = path;
    options.record_values = true;
    arm_all_and_discard_output(options);
    run::Runner runner;
    return runner.run_once(options, inputs);
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
    note_size(*model);
    add(predict::predict(*model, options_.predict), trace->tables);
    report_.analysis_seconds = seconds_since(begin);
    return std::move(report_);
  }

  void note_size(const predict::Model& model) {
    if (report_.threads != 0) return;
    report_.threads = model.threads.size();
    report_.variables = model.locations.size();
  }

  // Predictions to execute, and their findings.
  struct Planned {
    std::vector<predict::Prediction> predictions;
    std::vector<std::size_t> anomalies;  // indices into the report; empty for orders
  };

  // Appends new anomalies, and returns the predictions to execute: those, and known anomalies that are not settled.
  Planned add(predict::Predictions found, const trace::TraceTables& tables) {
    for (unsigned kind = 0; kind < predict::kAnomalyKinds; ++kind)
      report_.candidates[predict::anomaly_kind_word(static_cast<predict::AnomalyKind>(kind))] += found.candidates[kind];
    for (const double seconds : found.schedule_seconds) report_.schedule_seconds += seconds;
    Planned planned;
    for (predict::Prediction& prediction : found.found) {
      Anomaly anomaly = describe(prediction, tables);
      if (is_ignored(anomaly)) {
        ++report_.ignored;
        continue;
      }
      const std::size_t index = find_or_append(std::move(anomaly));
      if (!is_worth_another_try(index, prediction.witness.strength) || is_settled(report_.anomalies[index])) continue;
      planned.predictions.push_back(std::move(prediction));
      planned.anomalies.push_back(index);
    }
    return planned;
  }

  // Up to kTriesMax traces are tried for an anomaly, and any trace with a better witness.
  bool is_worth_another_try(std::size_t index, predict::WitnessStrength strength) {
    Tries& tries = tries_.try_emplace(index, Tries{0, strength}).first->second;
    const bool is_better = strength < tries.best;
    tries.best = std::min(tries.best, strength);
    return ++tries.count <= kTriesMax || is_better;
  }

  bool is_ignored(const Anomaly& anomaly) const {
    return std::any_of(anomaly.accesses.begin(), anomaly.accesses.end(), [&](const AnomalyAccess& access) {
      return options_.ignore.ignores(access.file, access.line, access.function);
    });
  }

  std::size_t find_or_append(Anomaly anomaly) {
    const std::string key = key_of(anomaly);
    const auto [known, added] = indices_.try_emplace(key, report_.anomalies.size());
    if (added) {
      anomaly.is_new = std::find(options_.baseline.begin(), options_.baseline.end(), key) == options_.baseline.end();
      report_.anomalies.push_back(std::move(anomaly));
    }
    return known->second;
  }

  // True if further executions are pointless. An anomaly confirmed without a failure is tried at other places and in
  // other traces only until any anomaly fails.
  bool is_settled(const Anomaly& anomaly) const {
    if (anomaly.verdict.failure) return true;
    return anomaly.verdict.status == ValidationStatus::Confirmed && report_.failing() != 0;
  }
  // True if less promising predictions deserve a try. After the first failure the number of executions is limited.
  bool should_continue() const {
    return !report_.interrupted && !stop_.stop_requested() &&
           (report_.failing() == 0 || executed_ - executed_at_failure_ < options_.executed_after_failure);
  }

  // One trace: its anomalies, the unsettled ones at other places, and other orders.
  Status process(trace::TraceReader& reader) {
    show_({Activity::AnalysingEvents, 0, reader.steps()});
    const Clock::time_point begin = Clock::now();
    const Result<predict::Model> model = predict::build_model(reader);
    if (!model) return model.error();
    note_size(*model);
    Planned planned = add(predict::predict(*model, options_.predict), reader.tables());
    report_.analysis_seconds += seconds_since(begin);
    if (!options_.validate || options_.run.program.empty()) return ok_status();
    known_.add(paths_of(reader));
    if (Status executed = execute(reader, planned); !executed) return executed;
    if (!should_continue()) return ok_status();

    Planned further;
    for (std::size_t i = 0; i < planned.predictions.size(); ++i) {
      if (is_settled(report_.anomalies[planned.anomalies[i]])) continue;
      for (predict::Prediction& other : predict::predict_further(*model, planned.predictions[i], options_.predict)) {
        further.predictions.push_back(std::move(other));
        further.anomalies.push_back(planned.anomalies[i]);
      }
    }
    if (Status executed = execute(reader, further); !executed) return executed;
    if (!should_continue()) return ok_status();

    Planned orders;
    orders.predictions = predict::predict_orders(*model, options_.predict).found;
    std::erase_if(orders.predictions, [&](const predict::Prediction& prediction) {
      return is_ignored(describe(prediction, reader.tables()));
    });
    for (const predict::Prediction& prediction : std::vector(orders.predictions)) {
      if (prediction.further.empty()) continue;
      for (predict::Prediction& other : predict::predict_further(*model, prediction, options_.predict))
        orders.predictions.push_back(std::move(other));
    }
    report_.orders_tried += orders.predictions.size();
    return execute(reader, orders);
  }

  Status execute(trace::TraceReader& reader, const Planned& planned) {
    if (planned.predictions.empty()) return ok_status();
    const Clock::time_point begin = Clock::now();
    ValidateOptions validation = options_.validation;
    validation.run = options_.run;
    validation.first_number = executed_;
    validation.run.stop = stop_;
    const bool orders = planned.anomalies.empty();
    if (orders) {
      validation.clips_of_benign = false;
      validation.tails = std::min(validation.tails, kTailsOfOrders);
    }
    executed_ += planned.predictions.size();
    if (report_.failing() == 0) executed_at_failure_ = executed_;
    Result<Validation> result = validate(reader, planned.predictions, validation, known_, [&](std::size_t finished) {
      show_({Activity::ExecutingPredictions, finished, planned.predictions.size()});
    });
    if (!result) return result.error();
    for (std::size_t i = 0; i < planned.predictions.size(); ++i) {
      ValidationResult& verdict = result->results[i];
      if (!orders) {
        settle(report_.anomalies[planned.anomalies[i]], std::move(verdict));
      } else if (verdict.failure) {
        Anomaly anomaly = describe(planned.predictions[i], reader.tables());
        anomaly.verdict = std::move(verdict);
        find_or_append(std::move(anomaly));
      }
    }
    for (const EarlyFailure& failure : result->failures)
      find_or_append(describe_failure(planned.predictions[failure.prediction], failure, reader.tables()));
    for (NovelRun& run : result->novel) novel_.push_back(std::move(run));
    report_.validation_seconds += seconds_since(begin);
    report_.interrupted = stop_.is_interrupted();
    return ok_status();
  }

  // Keeps the better verdict.
  static void settle(Anomaly& anomaly, ValidationResult verdict) {
    const auto rank = [](const ValidationResult& v) {
      return std::tuple(v.failure.has_value(), v.status == ValidationStatus::Confirmed,
                        v.status != ValidationStatus::Predicted);
    };
    if (rank(verdict) <= rank(anomaly.verdict)) return;
    anomaly.verdict = std::move(verdict);
    anomaly.diverged_at.clear();
    if (anomaly.verdict.status == ValidationStatus::Confirmed || anomaly.verdict.missing >= anomaly.accesses.size())
      return;
    const AnomalyAccess& missing = anomaly.accesses[anomaly.verdict.missing];
    anomaly.diverged_at = missing.file + ":" + std::to_string(missing.line);
  }

  // Executed schedules may have reached code that the first trace did not.
  Status feed_back() {
    if (!options_.validate) return ok_status();
    while (should_continue() && report_.traces_fed_back < options_.feedback_traces) {
      const std::optional<NovelRun> chosen = take_most_novel(novel_, known_);
      if (!chosen) break;
      ++report_.traces_fed_back;
      const TemporaryFile recorded;
      run::RunOptions options = options_.run;
      run::set_schedule(options, chosen->inputs.config);
      const Result<run::RunReport> report = record_run(options, chosen->inputs, recorded.path());
      if (!report) return report.error();
      if (report->interrupted) return ok_status();
      Result<trace::TraceReader> reader = trace::TraceReader::open(recorded.path());
      if (!reader) return reader.error();
      if (Status processed = process(*reader); !processed) return processed;
    }
    return ok_status();
  }

  struct Tries {
    unsigned count;
    predict::WitnessStrength best;
  };

  const PredictionOptions& options_;
  const experiment::ShowProgress& show_;
  PredictionReport report_;
  std::map<std::string, std::size_t> indices_;  // of anomalies, by key
  std::map<std::size_t, Tries> tries_;          // by index
  const StopToken stop_ = options_.run.stop.within(options_.time);
  std::size_t executed_ = 0;             // predictions
  std::size_t executed_at_failure_ = 0;  // predictions, when the first one failed
  KnownPaths known_;
  std::vector<NovelRun> novel_;
};

}  // namespace

Anomaly describe(const predict::Prediction& prediction, const trace::TraceTables& tables) {
  Anomaly anomaly;
  anomaly.kind = prediction.kind;
  anomaly.pattern = prediction.pattern;
  anomaly.unit = prediction.unit ? predict::unit_kind_word(*prediction.unit) : "";
  anomaly.race = prediction.race;
  anomaly.strength = prediction.witness.strength;
  for (const predict::AnomalyEvent& event : prediction.events)
    anomaly.accesses.push_back(describe_access(event, tables));
  return anomaly;
}

std::size_t PredictionReport::count(ValidationStatus status) const {
  return static_cast<std::size_t>(
      std::ranges::count(anomalies, status, [](const Anomaly& anomaly) { return anomaly.verdict.status; }));
}

std::size_t PredictionReport::failing() const {
  return static_cast<std::size_t>(std::count_if(
      anomalies.begin(), anomalies.end(), [](const Anomaly& anomaly) { return anomaly.verdict.failure.has_value(); }));
}

std::string key_of(const Anomaly& anomaly) {
  std::string key = std::string(predict::anomaly_kind_word(anomaly.kind)) + " " + anomaly.pattern;
  for (const AnomalyAccess& access : anomaly.accesses) {
    const std::size_t slash = access.file.rfind('/');
    key += " " + access.access + "@" + (slash == std::string::npos ? access.file : access.file.substr(slash + 1)) +
           ":" + std::to_string(access.line);
  }
  return key;
}

Result<PredictionReport> predict_program(const PredictionOptions& options, const experiment::ShowProgress& show) {
  const run::InterruptGuard guard;
  return Predicting(options, show).run();
}

}  // namespace heddle::validate
