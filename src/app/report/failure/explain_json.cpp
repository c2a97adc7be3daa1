#include "report/failure/explain_json.h"

#include "report/failure/cause_text.h"
#include "report/failure/timeline_text.h"

namespace heddle::report {
namespace {

using explain::CauseAccess;
using explain::SourceLocation;
using explain::Step;
using explain::StepKind;

void add_place(Json& json, const SourceLocation& place) {
  json["file"] = nullable(place.file);
  json["line"] = place.line == 0 ? Json(nullptr) : Json(place.line);
  json["function"] = nullable(place.function);
}

Json access_json(const CauseAccess& access) {
  Json json = {{"thread", access.thread}};
  add_place(json, access.place);
  json["access"] = access.access;
  json["variable"] = nullable(access.variable);
  json["locks"] = access.locks;
  return json;
}

const char* step_word(StepKind kind) {
  constexpr const char* kWords[] = {"event", "switch", "left_out", "failure"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(StepKind::Failure) + 1);
  return kWords[static_cast<std::size_t>(kind)];
}

Json step_json(const Step& step, const explain::Explanation& explanation) {
  Json json = {{"step", step_word(step.kind)}, {"thread", explanation.threads[step.thread].thread}};
  switch (step.kind) {
    case StepKind::Fold:
      json["events"] = step.left_out;
      return json;
    case StepKind::Switch:
      json["to"] = explanation.threads[step.to].thread;
      json["preemption"] = step.preemption;
      json["why"] = switch_reason(step);
      return json;
    case StepKind::Failure:
      json["outcome"] = run::outcome_word(explanation.outcome.kind);
      json["message"] = explanation.outcome.message;
      break;
    case StepKind::Event:
      json["action"] = action_text(step);
      json["variable"] = nullable(object_text(step));
      json["value"] = nullable(value_text(step));
      json["holds"] = step.holds;
      json["in_cause"] = step.in_cause;
      json["relevant"] = nullable(step.relevant);
      break;
  }
  add_place(json, step.place);
  return json;
}

Json thread_json(const explain::ThreadInfo& thread) {
  Json json = {{"thread", thread.thread}, {"name", nullable(thread.name)}, {"at_end", thread_end_text(thread)}};
  json["held_at_start"] = thread.held_at_start;
  add_place(json, thread.begins);
  return json;
}

}  // namespace

Json explain_json(const explain::Explanation& explanation) {
  Json json = {{"outcome", outcome_json(explanation.outcome)}};
  Json cause = {{"kind", explain::cause_kind_word(explanation.cause.kind)}, {"text", cause_text(explanation)}};
  cause["accesses"] = Json::array();
  for (const CauseAccess& access : explanation.cause.accesses) cause["accesses"].push_back(access_json(access));
  cause["failing_order"] = explanation.cause.failing_order;
  cause["passing_order"] = explanation.cause.passing_order;
  json["cause"] = std::move(cause);
  json["threads"] = Json::array();
  for (const explain::ThreadInfo& thread : explanation.threads) json["threads"].push_back(thread_json(thread));
  json["steps"] = Json::array();
  for (const Step& step : explanation.steps) json["steps"].push_back(step_json(step, explanation));
  json["events"] = explanation.events;
  json["slice"] = nullptr;
  if (explanation.slice)
    json["slice"] = {{"events", explanation.slice->events}, {"relevant", explanation.slice->relevant}};
  json["preemptions"] = {{"before", explanation.preemptions_before}, {"after", explanation.preemptions_after}};
  json["trials"] = explanation.trials;
  json["seconds"] = explanation.seconds;
  json["clip"] = explanation.clip;
  json["program"] = explanation.program;
  json["problems"] = explanation_notes(explanation);
  return json;
}

}  // namespace heddle::report
