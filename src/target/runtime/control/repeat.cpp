// Repetition inside the process (include/heddle/schedules.h): a test body runs repeatedly, each time under the next
// schedule that the host planned. Also the regions of include/heddle/annotate.h.
#include "runtime/control/failure.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

namespace {

using heddle::format::RepeatPlan;
using heddle::format::RepeatResult;
using heddle::format::SessionConfig;

bool repeats() { return session()->config.repeats_count != 0; }

void note_result(std::uint64_t iteration) {
  const SessionConfig& config = session()->config;
  if (iteration >= config.repeats_count) return;
  session_output<RepeatResult>(config.repeat_results_offset)[iteration] = {hot.progress->state, hot.progress->steps};
}

// Installs the configuration of the next repetition. The descents of its threads are those of a process of its own.
void begin_iteration(std::uint64_t iteration) {
  SessionConfig& config = session()->config;
  session()->repeat_iteration = iteration;
  current()->children = 0;
  begin_body();
  if (config.strategy == heddle::format::StrategyKind::Replay) return rt.begin_run();
  const RepeatPlan& plan = session_input<RepeatPlan>(config.repeats_offset)[iteration];
  config.strategy = plan.strategy;
  config.seed = plan.seed;
  config.quantum = plan.quantum;
  config.depth = plan.depth;
  config.length = plan.length;
  rt.begin_run();
}

}  // namespace

HEDDLE_INTERPOSE int heddle_next_schedule(unsigned long* iteration, int failed) {
  if (!controlled() || !repeats()) return (*iteration)++ == 0;
  if (*iteration != 0) {
    // A body that runs only once ends the process by itself.
    if (failed != 0 && session()->config.repeats_count > 1) fail_test();
    if (live_thread_count() != 1)
      fail_misuse("a body that is repeated has left threads running; join them all", nullptr);
    note_result(*iteration - 1);
  }
  if (*iteration >= session()->config.repeats_count) return 0;
  begin_iteration(*iteration);
  ++*iteration;
  return 1;
}

HEDDLE_INTERPOSE void heddle_region_begin(const char* name) {
  if (controlled()) note(EventKind::RegionBegin, name);
}

HEDDLE_INTERPOSE void heddle_region_end(const char* name) {
  if (controlled()) note(EventKind::RegionEnd, name);
}
