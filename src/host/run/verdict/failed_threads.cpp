#include "run/verdict/failed_threads.h"

#include <algorithm>

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

}  // namespace heddle::run
