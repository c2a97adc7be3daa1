#include "report/failure/timeline_text.h"

#include <fmt/format.h>

#include "explain/names/source_locations.h"

namespace heddle::report {

using explain::Step;
using format::EventKind;

std::string action_text(const Step& step) {
  const char* word = format::event_word(step.event);
  return word == nullptr ? "" : word;
}

std::string object_text(const Step& step) {
  return step.other_thread.empty() ? step.variable : "thread " + step.other_thread;
}

std::string value_text(const Step& step) {
  if (!step.value) return {};
  if (step.event == EventKind::RangeRead || step.event == EventKind::RangeWrite)
    return fmt::format("{} bytes", *step.value);
  if (step.size == 0 || step.size > 8) return {};
  const unsigned unused = 64 - 8u * step.size;
  const auto value = static_cast<std::int64_t>(*step.value << unused) >> unused;
  constexpr std::int64_t kPointerMin = 0x1000'0000;  // larger numbers are probably pointers
  return value > kPointerMin || value < -kPointerMin ? fmt::format("{:#x}", *step.value) : std::to_string(value);
}

bool is_assignment(const Step& step) {
  return format::is_write_access(step.event) && !format::is_read_access(step.event);
}

std::string switch_reason(const Step& step) {
  const std::string action = action_text(step);
  if (!step.preemption) return action.empty() || step.event == EventKind::Exit ? "it has ended" : "it waits: " + action;
  std::string text = "preempted";
  if (!action.empty()) text += " before its " + action;
  if (step.place.line != 0) text += " at " + explain::short_place(step.place);
  return text;
}

std::string thread_end_text(const explain::ThreadInfo& thread) {
  switch (thread.at_end) {
    case explain::ThreadEnd::Ended:
      return "ended";
    case explain::ThreadEnd::CouldRun:
      return "could run";
    case explain::ThreadEnd::Waits:
      return "waits (" + thread.waits_for + ")";
    case explain::ThreadEnd::Failed:
      return "failed";
  }
  return "";
}

}  // namespace heddle::report
