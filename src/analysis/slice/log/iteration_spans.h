#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "slice/log/execution_log.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// An iteration of a marked loop, or a marked call: a span of the log.
struct LoggedIteration {
  std::uint32_t thread;
  std::uint64_t loop;    // hash of its name
  std::uint32_t number;  // in its thread and loop, from 1
  LogPlace begin, end;
  bool relevant = false;  // contains an event or decision on which the failure depends
};

class IterationSpans {
 public:
  // `place`: of the next entry.
  void take(const trace::Event& record, LogPlace place);
  // Appends the spans of the next part.
  void append(const IterationSpans& next);
  const std::vector<LoggedIteration>& all() const { return spans_; }

 private:
  using Loop = std::pair<std::uint32_t, std::uint64_t>;  // of a thread
  struct End {
    Loop loop;
    LogPlace place;
  };
  bool end_innermost(const Loop& loop, LogPlace place);

  std::vector<LoggedIteration> spans_;
  std::map<Loop, std::vector<std::size_t>> open_;  // the innermost last; several if the function is recursive
  std::vector<End> ends_;                          // of iterations that began in an earlier part
};

}  // namespace heddle::slice
