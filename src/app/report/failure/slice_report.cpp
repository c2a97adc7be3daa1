#include "report/failure/slice_report.h"

#include <fmt/format.h>

#include "support/counted.h"

namespace heddle::report {

Json slice_json(const slice::FailureSlice& slice) {
  Json lines = Json::array(), threads = Json::array();
  for (const slice::SlicedLine& line : slice.lines)
    lines.push_back({{"file", line.file}, {"line", line.line}, {"function", line.function}, {"events", line.events}});
  for (const slice::SlicedThread& thread : slice.threads)
    threads.push_back({{"thread", thread.name}, {"relevant", thread.relevant}});
  return {{"outcome", slice.outcome},
          {"events", slice.events},
          {"relevant", slice.relevant},
          {"records", slice.records},
          {"lines", std::move(lines)},
          {"threads", std::move(threads)},
          {"run_seconds", slice.run_seconds > 0 ? Json(slice.run_seconds) : Json(nullptr)},
          {"slicing_seconds", slice.slicing_seconds},
          {"backward_seconds", slice.backward_seconds}};
}

std::string slice_text(const slice::FailureSlice& slice) {
  std::string text =
      fmt::format("{}: depends on {} of {}\n", slice.outcome, slice.relevant, counted(slice.events, "event"));
  for (const slice::SlicedThread& thread : slice.threads)
    text += fmt::format("thread {}: {}\n", thread.name, counted(thread.relevant, "event"));
  for (const slice::SlicedLine& line : slice.lines)
    text += fmt::format("{}:{}: {}, {}\n", line.file, line.line, line.function, counted(line.events, "event"));
  return text;
}

}  // namespace heddle::report
