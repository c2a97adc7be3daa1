#include "report/findings/predict_report.h"

#include <fmt/format.h>

#include "report/findings/source_units_report.h"
#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using validate::Anomaly;
using validate::AnomalyAccess;
using validate::PredictionReport;
using validate::ValidationStatus;

const char* race_word(predict::RaceKind race) {
  constexpr const char* kWords[] = {"plain", "mismatched", "relaxed"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(predict::RaceKind::Relaxed) + 1);
  return kWords[static_cast<std::size_t>(race)];
}

// Without --all, confirmed anomalies; for traces that cannot be executed, predictions.
bool is_shown(const Anomaly& anomaly, bool all) {
  return all || anomaly.verdict.status == ValidationStatus::Confirmed ||
         anomaly.verdict.status == ValidationStatus::Predicted;
}

Json access_json(const AnomalyAccess& access) {
  return {{"thread", access.thread},
          {"file", access.file},
          {"line", access.line},
          {"function", access.function},
          {"access", access.access}};
}

Json anomaly_json(const Anomaly& anomaly) {
  Json json = {{"kind", predict::anomaly_kind_word(anomaly.kind)},
               {"pattern", anomaly.pattern},
               {"unit", nullable(anomaly.unit)},
               {"status", validate::status_word(anomaly.verdict.status)}};
  Json accesses = Json::array();
  for (const AnomalyAccess& access : anomaly.accesses) accesses.push_back(access_json(access));
  json["accesses"] = std::move(accesses);
  json["failure"] = anomaly.verdict.failure ? outcome_json(*anomaly.verdict.failure) : Json(nullptr);
  json["clip"] = nullable(anomaly.verdict.clip);
  json["rung"] = predict::strength_word(anomaly.strength);
  if (anomaly.kind == predict::AnomalyKind::DataRace) json["race"] = race_word(anomaly.race);
  json["key"] = validate::key_of(anomaly);
  json["new"] = anomaly.is_new;
  if (!anomaly.diverged_at.empty()) json["diverged_at"] = anomaly.diverged_at;
  return json;
}

std::string access_text(const AnomalyAccess& access) {
  const std::size_t slash = access.file.rfind('/');
  const std::string file = slash == std::string::npos ? access.file : access.file.substr(slash + 1);
  return fmt::format("  thread {:<8} {:<11} {}{}", access.thread, access.access,
                     file.empty() ? "" : fmt::format("{}:{}", file, access.line),
                     access.function.empty() ? "" : " in " + access.function);
}

std::string anomaly_text(const Anomaly& anomaly) {
  std::string text = fmt::format("{} {} ({}{})\n", validate::status_word(anomaly.verdict.status),
                                 predict::anomaly_kind_word(anomaly.kind), anomaly.pattern,
                                 anomaly.unit.empty() ? "" : ", breaks a " + anomaly.unit);
  for (const AnomalyAccess& access : anomaly.accesses) text += access_text(access) + "\n";
  if (anomaly.verdict.failure) {
    text += "  leads to " + anomaly.verdict.failure->signature;
    if (!anomaly.verdict.failure->message.empty()) text += ": " + anomaly.verdict.failure->message;
    text += "\n";
  }
  if (!anomaly.diverged_at.empty()) text += "  not confirmed: the run diverged before " + anomaly.diverged_at + "\n";
  if (!anomaly.verdict.clip.empty())
    text += "  replay it with: " + command_text({"heddle", "replay", anomaly.verdict.clip}) + "\n";
  return text;
}

}  // namespace

Json predict_json(const PredictionReport& report, bool all) {
  Json json = {{"events", report.events},
               {"threads", report.threads},
               {"variables", report.variables},
               {"record_seconds", report.record_seconds},
               {"analysis_seconds", report.analysis_seconds},
               {"schedule_seconds", report.schedule_seconds},
               {"validation_seconds", report.validation_seconds}};
  json["candidates"] = report.candidates;
  json["predicted"] = report.anomalies.size();
  json["confirmed"] = report.count(ValidationStatus::Confirmed);
  json["failing"] = report.failing();
  json["infeasible"] = report.count(ValidationStatus::Infeasible);
  json["not_reached"] = report.count(ValidationStatus::NotReached);
  json["ignored"] = report.ignored;
  json["orders_tried"] = report.orders_tried;
  json["traces_fed_back"] = report.traces_fed_back;
  Json anomalies = Json::array();
  for (const Anomaly& anomaly : report.anomalies)
    if (is_shown(anomaly, all)) anomalies.push_back(anomaly_json(anomaly));
  json["anomalies"] = std::move(anomalies);
  json["recorded_run"] = report.failed_run ? outcome_json(*report.failed_run) : Json(nullptr);
  json["assertions"] = assertions_json(report.units);
  json["interrupted"] = report.interrupted;
  json["problems"] = report.problems;
  return json;
}

std::string predict_text(const PredictionReport& report, bool all) {
  std::string text;
  if (report.failed_run)
    text += "the recorded run itself failed: " + report.failed_run->signature +
            "; keep it as a clip with: heddle run --clip FILE -- PROGRAM\n";
  for (const Anomaly& anomaly : report.anomalies)
    if (is_shown(anomaly, all)) text += anomaly_text(anomaly);
  text += fmt::format(
      "{}, {} predicted; {} confirmed by execution, {} with a failure; {} infeasible, {} not reached{}; analysed in "
      "{:.2f} s, executed in {:.2f} s\n",
      counted(report.events, "event"), report.anomalies.size(), report.count(ValidationStatus::Confirmed),
      report.failing(), report.count(ValidationStatus::Infeasible), report.count(ValidationStatus::NotReached),
      report.ignored == 0 ? "" : fmt::format(", {} ignored", report.ignored), report.analysis_seconds,
      report.validation_seconds);
  if (!report.failed_run && report.failing() == 0) text += ndebug_text(report.units);
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

}  // namespace heddle::report
