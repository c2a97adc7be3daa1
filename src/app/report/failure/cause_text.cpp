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
    "it was not looked for, since the schedule could not be repeated for experiments";
constexpr const char* kNothingHelps = "no change of the schedule that was tried makes the failure disappear";

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
        "thread {} does its {} before thread {} does its {}, and nothing makes it wait. In the other order the program "
        "ends "
        "well.",
        last.thread, locked_access(last), after.thread, locked_access(after));
  return fmt::format(
      "thread {} is stopped between its {} and its {}; meanwhile thread {} does its {}{}. When thread {} goes on to {} "
      "before "
      "the other comes in, the program ends well.",
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
      text += fmt::format("holds {} since {} and ", waiting.holds->lock.empty() ? "a lock" : waiting.holds->lock,
                          short_place(waiting.holds->since));
    text += "waits at " + short_place(waiting.access.place);
    if (!waiting.access.variable.empty()) text += " for " + waiting.access.variable;
    if (!waiting.holder.empty()) text += ", which thread " + waiting.holder + " holds";
  }
  return text.empty() ? text : text + ".";
}

std::string waiting_text(const WaitingThread& waiting) {
  std::string text = " Thread " + waiting.access.thread + " waits for good";
  if (!waiting.access.variable.empty()) text += " for " + waiting.access.variable;
  text += " at " + short_place(waiting.access.place) + ".";
  if (waiting.change)
    text += fmt::format(" Thread {} changes what is waited for at {}.", waiting.change->thread,
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
    notes.push_back("the schedule could not be repeated for experiments: no cause was looked for");
  if (explanation.simpler_schedule) notes.push_back("told by a simpler schedule that fails in the same way");
  if (explanation.lacks_types)
    notes.push_back("the debug information has no types: build with -g, and variables are called by name");
  return notes;
}

}  // namespace heddle::report
