#pragma once
#include <cstdint>
#include <vector>

#include "binary/symbolizer.h"
#include "format/run_result.h"
#include "run/verdict/outcome.h"

namespace heddle::run {

// Failures that happen at an instruction of one thread; the others are known by everybody's waiting.
bool has_place(format::OutcomeKind kind);

// ThreadIds of those in whom the failure is: who came to it, or who wait, for each other or for what does not come. Who
// joins others only waits for them.
std::vector<std::uint32_t> failed_threads(const format::SessionResult& result);

// Stack of the thread that failed.
std::vector<binary::SourceFrame> failure_stack(const Outcome& outcome, const format::SessionResult& result,
                                               binary::Symbolizer& symbolizer);
// What the runtime said of the threads at the end. Without descent names, which take the run's decisions.
std::vector<ThreadState> thread_states(const format::SessionResult& result, binary::Symbolizer& symbolizer);
// The signature of this outcome.
std::string signature_of(const Outcome& outcome, const format::SessionResult& result, binary::Symbolizer& symbolizer);

}  // namespace heddle::run
