#include "report/failure/cause_text.h"

#include <fmt/format.h>

#include "explain/names/source_locations.h"

namespace heddle::report {
namespace {

using explain::Cause;
using explain::CauseAccess;
using explain::CauseKind;
using explain::CauseWindow;
using explain::short_place;
using explain::WaitingThread;

constexpr const char* kNotRepeatable =
    "the cause was not searched, because the schedule could not be repeated for experiments; heddle check -- PROGRAM "
    "names the first difference";
constexpr const char* kNothingHelps =
    "none of the tried changes of the schedule makes the failure disappear; give the search more --time";

std::string placed_access(const CauseAccess& access) {
  return access_text(access) + (access.place.file.empty() ? "" : " at " + short_place(access.place));
}

std::string locks_text(const CauseAccess& access) {
  if (access.locks.empty()) return "no lock";
  std::string text;
  for (const std::string& lock : access.locks) text += (text.empty() ? "" : ", ") + (lock.empty() ? "a lock" : lock);
  return text;
}

std::string locked_access(const CauseAccess& access) {
  return fmt::format("{} ({} held)", placed_access(access), locks_text(access));
}

std::string window_text(const CauseWindow& window) {
  const CauseAccess &first = window.intruders.front(), &last = window.intruders.back(), &after = window.after;
  if (!window.before)
    return fmt::format(
        "thread {} executes its {} before thread {} executes its {}, and nothing makes it wait. In the other order the "
        "program passes.",
        last.thread, locked_access(last), after.thread, locked_access(after));
  return fmt::format(
      "thread {} is preempted between its {} and its {}; meanwhile thread {} executes its {}{}. If thread {} reaches "
      "{} "
      "first, the program passes.",
      window.before->thread, locked_access(*window.before), locked_access(after), last.thread,
      window.intruders.size() > 1 ? placed_access(first) + " and its " : "", locked_access(last), after.thread,
      short_place(after.place));
}

std::string deadlock_text(const std::vector<WaitingThread>& cycle) {
  std::string text;
  for (const WaitingThread& waiting : cycle) {
    text += text.empty() ? "thread " : "; thread ";
    text += waiting.access.thread + " ";
    if (waiting.holds)
      text += fmt::format("has held {} since {} and ", waiting.holds->lock.empty() ? "a lock" : waiting.holds->lock,
                          short_place(waiting.holds->since));
    text += "waits at " + short_place(waiting.access.place);
    if (!waiting.access.variable.empty()) text += " for " + waiting.access.variable;
    if (!waiting.holder.empty()) text += ", which thread " + waiting.holder + " holds";
  }
  return text.empty() ? "the threads of the deadlock are unknown" : text + ".";
}

std::string waiting_text(const WaitingThread& waiting) {
  std::string text = " Thread " + waiting.access.thread + " waits forever";
  if (!waiting.access.variable.empty()) text += " for " + waiting.access.variable;
  text += " at " + short_place(waiting.access.place) + ".";
  if (waiting.change)
    text += fmt::format(" Thread {} changes the condition at {}.", waiting.change->thread,
                        short_place(waiting.change->place));
  return text;
}

}  // namespace

std::string access_text(const CauseAccess& access) {
  return access.access + (access.variable.empty() ? "" : " of " + access.variable);
}

std::string cause_text(const explain::Explanation& explanation) {
  const Cause& cause = explanation.cause;
  if (cause.kind == CauseKind::Deadlock) return deadlock_text(cause.waiting);
  std::string text = cause.window             ? window_text(*cause.window)
                     : explanation.repeatable ? kNothingHelps
                                              : kNotRepeatable;
  if (!cause.window && !cause.waiting.empty()) text += ".";
  for (const WaitingThread& waiting : cause.waiting) text += waiting_text(waiting);
  return text;
}

std::vector<std::string> explanation_notes(const explain::Explanation& explanation) {
  std::vector<std::string> notes;
  if (!explanation.repeatable)
    notes.push_back("the schedule could not be repeated for experiments, so the cause was not searched");
  if (explanation.simpler_schedule) notes.push_back("the explanation uses a simpler schedule with the same failure");
  if (explanation.lacks_types)
    notes.push_back("the debug information has no types; build with -g to see the names of variables");
  return notes;
}

}  // namespace heddle::report
