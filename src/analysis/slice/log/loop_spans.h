#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "slice/log/execution_log.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// Which stretches of the log are iterations of marked loops, or marked calls.
class IterationStretches {
 public:
  struct LoopSpan {
    std::uint32_t thread;
    std::uint64_t loop;    // hash of its name
    std::uint32_t number;  // of its thread and loop, from 1
    LogPlace begin, end;
  };

  // `place`: of what comes next in the log.
  void take(const trace::Event& record, LogPlace place);
  // Goes on with those of the next part.
  void append(const IterationStretches& next);
  const std::vector<LoopSpan>& all() const { return stretches_; }

 private:
  using Loop = std::pair<std::uint32_t, std::uint64_t>;  // of a thread
  struct End {
    Loop loop;
    LogPlace place;
  };
  bool end_innermost(const Loop& loop, LogPlace place);

  std::vector<LoopSpan> stretches_;
  std::map<Loop, std::vector<std::size_t>>
      open_;               // the innermost last; of a function that calls itself there are several
  std::vector<End> ends_;  // of what had begun before
};

}  // namespace heddle::slice
