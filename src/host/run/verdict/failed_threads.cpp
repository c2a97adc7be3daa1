#include "run/verdict/failed_threads.h"

#include <algorithm>
#include <cstring>

namespace heddle::run {

using format::OutcomeKind;

bool has_place(OutcomeKind kind) {
  return kind == OutcomeKind::Assert || kind == OutcomeKind::Abort || kind == OutcomeKind::Signal ||
         kind == OutcomeKind::Exit || kind == OutcomeKind::Misuse || kind == OutcomeKind::UseAfterFree;
}

std::vector<std::uint32_t> failed_threads(const format::SessionResult& result) {
  if (has_place(result.outcome)) return {result.thread};
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < std::min(result.report_count, format::kReportedThreadsMax); ++i) {
    const format::ThreadReport& report = result.reports[i];
    if (report.waits_for != format::EventKind{} && report.waits_for != format::EventKind::Join)
      waiting.push_back(report.thread);
  }
  return waiting.empty() ? std::vector<std::uint32_t>{result.thread} : waiting;
}

std::vector<binary::SourceFrame> failure_stack(const Outcome& outcome, const format::SessionResult& result,
                                               binary::Symbolizer& symbolizer) {
  return symbolizer.symbolize(result, result.stack.pc, std::min(result.stack.count, format::kFramesMax),
                              outcome.kind == OutcomeKind::Signal && is_fault(outcome.signal));
}

std::vector<ThreadState> thread_states(const format::SessionResult& result, binary::Symbolizer& symbolizer) {
  std::vector<ThreadState> states;
  for (std::uint32_t i = 0; i < std::min(result.report_count, format::kReportedThreadsMax); ++i) {
    const format::ThreadReport& thread = result.reports[i];
    ThreadState state;
    state.id = thread.thread;
    state.name.assign(thread.name, ::strnlen(thread.name, sizeof thread.name));
    const char* word = static_cast<int>(thread.waits_for) == 0 ? nullptr : format::event_word(thread.waits_for);
    state.waits_for = word != nullptr ? word : "";
    state.object_number = thread.object_number;
    state.holder_id = thread.holder;
    state.stack =
        symbolizer.symbolize(result, thread.stack.pc, std::min(thread.stack.count, format::kFramesMax), false);
    states.push_back(std::move(state));
  }
  return states;
}

std::string signature_of(const Outcome& outcome, const format::SessionResult& result, binary::Symbolizer& symbolizer) {
  if (!outcome.failed()) return make_signature(outcome, {}, {});
  return make_signature(outcome, failure_stack(outcome, result, symbolizer), thread_states(result, symbolizer));
}

}  // namespace heddle::run
