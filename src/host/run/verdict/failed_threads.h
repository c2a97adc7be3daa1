#pragma once
#include <cstdint>
#include <vector>

#include "binary/symbolizer.h"
#include "format/run_result.h"
#include "run/verdict/outcome.h"

namespace heddle::run {

// True for failures at an instruction of one thread; the others consist of waiting threads.
bool has_place(format::OutcomeKind kind);

// ThreadIds of the failing thread, or of the threads that wait forever. Threads that wait in a join are not included,
// unless no other thread waits.
std::vector<std::uint32_t> failed_threads(const format::SessionResult& result);

// Stack of the failing thread.
std::vector<binary::SourceFrame> failure_stack(const Outcome& outcome, const format::SessionResult& result,
                                               binary::Symbolizer& symbolizer);
// The threads at the end, as the runtime reported them. The caller adds descent names, which need the schedule.
std::vector<ThreadState> thread_states(const format::SessionResult& result, binary::Symbolizer& symbolizer);
std::string signature_of(const Outcome& outcome, const format::SessionResult& result, binary::Symbolizer& symbolizer);

}  // namespace heddle::run
