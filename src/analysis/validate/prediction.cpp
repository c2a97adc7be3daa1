#include "validate/prediction.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

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

// A failure on the way to an anomaly is known by what had happened of it.
Anomaly describe_failure(const predict::Prediction& prediction, const FailureOnTheWay& failure,
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

bool is_std(const std::string& path) { return path.ends_with(".std"); }

class Predicting {
 public:
  Predicting(const PredictionOptions& options, const experiment::ShowProgress& show) : options_(options), show_(show) {}

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
    report_.units = units_of(reader->tables());
    stop_ = options_.run.stop.within(options_.time);
    if (Status processed = process(*reader); !processed) return processed.error();
    if (Status fed_back = feed_back(); !fed_back) report_.problems.push_back(fed_back.error().message);
    return std::move(report_);
  }

 private:
  void show(const experiment::Progress& progress) {
    if (show_) show_(progress);
  }

  static clip::SourceUnits units_of(const trace::TraceTables& tables) {
    std::vector<clip::ModuleIdentity> modules;
    for (const trace::TraceModule& module : tables.modules)
      modules.push_back({module.path, module.build_id, module.first_site != 0});
    return clip::read_source_units(modules);
  }

  Status record(const std::string& path) {
    if (path.empty()) return Error{"cannot make a temporary file for the trace"};
    show({Activity::RecordingRun});
    run::RunOptions options = options_.run;
    options.strategy = format::StrategyKind::Sequential;
    const Clock::time_point begin = Clock::now();
    const Result<run::RunReport> report = record_run(options, {}, path);
    if (!report) return report.error();
    report_.record_seconds = seconds_since(begin);
    report_.interrupted = report->interrupted;
    if (report->outcome.uncontrolled()) return Error{report->outcome.message, ExitCode::Uncontrolled};
    if (report->outcome.failed() && !report->interrupted) report_.failed_run = report->outcome;
    return ok_status();
  }

  static Result<run::RunReport> record_run(run::RunOptions options, const run::SessionInputs& inputs,
                                           const std::string& path) {
    options.record_path = path;
    options.record_values = true;
    options.arm_mode = format::ArmMode::All;
    options.armed.clear();
    options.output = run::Output::Discard;
    if (options.stdin_file.empty()) options.stdin_file = "/dev/null";
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

  // A prediction and the finding that its execution is about.
  struct Planned {
    std::vector<predict::Prediction> predictions;
    std::vector<std::size_t> anomalies;  // indices into the report; the same length, or none for orders
  };

  // Appends what is new, and returns what is to be executed: that, and again what was met before in other traces and
  // came to nothing there.
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

  // Another trace may promise more of an anomaly than those before it.
  bool is_worth_another_try(std::size_t index, predict::WitnessStrength strength) {
    Tries& tries = tries_.try_emplace(index, Tries{0, strength}).first->second;
    const bool promises_more = strength < tries.best;
    tries.best = std::min(tries.best, strength);
    return ++tries.count <= kTriesMax || promises_more;
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

  bool is_over() const { return report_.interrupted || stop_.stop_requested(); }
  // There is nothing more to learn of it. What happened without doing harm is tried at other places, in other traces,
  // only as long as nothing fails at all.
  bool is_settled(const Anomaly& anomaly) const {
    if (anomaly.verdict.failure) return true;
    return anomaly.verdict.status == ValidationStatus::Confirmed && report_.failing() != 0;
  }
  // Whether it is worth while to look where less is promised. Who has a failure in hand waits for more of them, and for
  // harmless anomalies, only so long.
  bool is_to_go_on() const {
    return !is_over() && (report_.failing() == 0 || executed_ - executed_at_failure_ < options_.executed_after_failure);
  }

  // One trace: its anomalies, those again that did not come about at other places of it, and other orders.
  Status process(trace::TraceReader& reader) {
    show({Activity::AnalysingEvents, 0, reader.steps()});
    const Clock::time_point begin = Clock::now();
    const Result<predict::Model> model = predict::build_model(reader);
    if (!model) return model.error();
    note_size(*model);
    Planned planned = add(predict::predict(*model, options_.predict), reader.tables());
    report_.analysis_seconds += seconds_since(begin);
    if (!options_.validate || options_.run.program.empty()) return ok_status();
    known_.add(paths_of(reader));
    if (Status executed = execute(reader, planned); !executed) return executed;
    if (!is_to_go_on()) return ok_status();

    Planned further;
    for (std::size_t i = 0; i < planned.predictions.size(); ++i) {
      if (is_settled(report_.anomalies[planned.anomalies[i]])) continue;
      for (predict::Prediction& other : predict::predict_further(*model, planned.predictions[i], options_.predict)) {
        further.predictions.push_back(std::move(other));
        further.anomalies.push_back(planned.anomalies[i]);
      }
    }
    if (Status executed = execute(reader, further); !executed) return executed;
    if (!is_to_go_on()) return ok_status();

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
      show({Activity::ExecutingPredictions, finished, planned.predictions.size()});
    });
    if (!result) return result.error();
    for (std::size_t i = 0; i < planned.predictions.size(); ++i) {
      Verdict& verdict = result->verdicts[i];
      if (!orders)
        settle(report_.anomalies[planned.anomalies[i]], std::move(verdict));
      else if (verdict.failure)
        add_failing_order(planned.predictions[i], std::move(verdict), reader.tables());
    }
    for (const FailureOnTheWay& failure : result->failures)
      find_or_append(describe_failure(planned.predictions[failure.prediction], failure, reader.tables()));
    for (NovelRun& run : result->novel) novel_.push_back(std::move(run));
    report_.validation_seconds += seconds_since(begin);
    report_.interrupted = stop_.is_interrupted();
    return ok_status();
  }

  // The better of what is known and what was just seen.
  static void settle(Anomaly& anomaly, Verdict verdict) {
    const auto rank = [](const Verdict& v) {
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

  void add_failing_order(const predict::Prediction& prediction, Verdict verdict, const trace::TraceTables& tables) {
    Anomaly anomaly = describe(prediction, tables);
    anomaly.verdict = std::move(verdict);
    find_or_append(std::move(anomaly));
  }

  // What the first trace did not exercise may be in those of the schedules that were executed. They are analysed in
  // their turn, those with the most that is new first.
  Status feed_back() {
    if (!options_.validate) return ok_status();
    while (is_to_go_on() && report_.traces_fed_back < options_.feedback_traces) {
      std::erase_if(novel_, [&](const NovelRun& run) { return known_.has(run.paths.signature); });
      const auto best =
          std::ranges::max_element(novel_, {}, [&](const NovelRun& run) { return known_.novelty(run.paths); });
      if (best == novel_.end()) break;
      const NovelRun chosen = std::move(*best);
      novel_.erase(best);
      known_.add(chosen.paths);
      ++report_.traces_fed_back;
      const TemporaryFile recorded;
      run::RunOptions options = options_.run;
      run::set_schedule(options, chosen.inputs.config);
      const Result<run::RunReport> report = record_run(options, chosen.inputs, recorded.path());
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
    predict::WitnessStrength best;  // of their witnesses
  };

  const PredictionOptions& options_;
  const experiment::ShowProgress& show_;
  PredictionReport report_;
  std::map<std::string, std::size_t> indices_;  // of anomalies, by key
  std::map<std::size_t, Tries> tries_;          // by index
  StopToken stop_;
  std::size_t executed_ = 0;             // predictions
  std::size_t executed_at_failure_ = 0;  // of these when the first failed
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
  return static_cast<std::size_t>(std::count_if(
      anomalies.begin(), anomalies.end(), [&](const Anomaly& anomaly) { return anomaly.verdict.status == status; }));
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
