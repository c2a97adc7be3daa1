#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "slice/log/execution_log.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// The spans of the log that are iterations of marked loops, or marked calls.
class IterationSpans {
 public:
  struct IterationSpan {
    std::uint32_t thread;
    std::uint64_t loop;    // hash of its name
    std::uint32_t number;  // in its thread and loop, from 1
    LogPlace begin, end;
  };

  // `place`: of the next entry.
  void take(const trace::Event& record, LogPlace place);
  // Appends the spans of the next part.
  void append(const IterationSpans& next);
  const std::vector<IterationSpan>& all() const { return spans_; }

 private:
  using Loop = std::pair<std::uint32_t, std::uint64_t>;  // of a thread
  struct End {
    Loop loop;
    LogPlace place;
  };
  bool end_innermost(const Loop& loop, LogPlace place);

  std::vector<IterationSpan> spans_;
  std::map<Loop, std::vector<std::size_t>> open_;  // the innermost last; several if the function is recursive
  std::vector<End> ends_;                          // of iterations that began in an earlier part
};

}  // namespace heddle::slice
