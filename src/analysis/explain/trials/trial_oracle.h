#pragma once
// The executions from which a cause is found: of a program (ProgramOracle), or of a trace in tests.
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
  Fails,     // as the clip does: same kind, same signature
  Passes,    // the program ended well
  Otherwise  // another failure
};

struct Attempt {
  Ending ending = Ending::Otherwise;
  bool followed = false;  // as far as was asked for
};

class TrialOracle {
 public:
  virtual ~TrialOracle() = default;

  // One execution; `turns_needed` of the turns must have been followed for the attempt to count.
  virtual Result<Attempt> attempt(const experiment::Turns& order, std::size_t turns_needed) = 0;
  // The same with everything recorded.
  virtual Result<Recording> record(const experiment::Turns& order) = 0;
  // The stack of `thread` when it is about to make the point after `done` of them; empty when it could not be stopped.
  virtual std::vector<binary::SourceFrame> stack_before(const experiment::Turns& order, ThreadId thread,
                                                        std::uint64_t done) = 0;
  // The program's memory when it makes its `step`-th point in this order.
  virtual Result<binary::CoreImage> freeze(const experiment::Turns& order, std::uint64_t step) = 0;

  virtual const binary::ProgramFile& program() const = 0;
  virtual ThreadNumbers& threads() = 0;
  virtual bool time_is_up() const = 0;
};

}  // namespace heddle::explain
