#pragma once
// Source of the executions from which a cause is found: a program (ProgramOracle), or in tests a trace (TraceOracle).
#include <cstdint>
#include <vector>

#include "binary/image/core_image.h"
#include "binary/program_file.h"
#include "binary/symbolizer.h"
#include "experiment/schedule.h"
#include "explain/recording/recording.h"
#include "support/result.h"

namespace heddle::explain {

enum class Ending : std::uint8_t {
  Fails,     // with the clip's kind and signature
  Passes,    // without a failure
  Otherwise  // with another failure
};

struct Attempt {
  Ending ending = Ending::Otherwise;
  bool followed = false;  // the run made the required turns in their order
};

class TrialOracle {
 public:
  virtual ~TrialOracle() = default;

  // Executes the order. The attempt counts only if the run followed the first `turns_needed` turns.
  virtual Result<Attempt> attempt(const experiment::Turns& order, std::size_t turns_needed) = 0;
  // Executes the order and records all events.
  virtual Result<Recording> record(const experiment::Turns& order) = 0;
  // The stack of `thread` after `done` points, at its next point; empty if it cannot be preempted there.
  virtual std::vector<binary::SourceFrame> stack_before(const experiment::Turns& order, ThreadId thread,
                                                        std::uint64_t done) = 0;
  // The program's memory at the `step`-th point of this order.
  virtual Result<binary::CoreImage> freeze(const experiment::Turns& order, std::uint64_t step) = 0;

  virtual const binary::ProgramFile& program() const = 0;
  virtual ThreadNumbers& threads() = 0;
  virtual bool time_is_up() const = 0;
};

}  // namespace heddle::explain
