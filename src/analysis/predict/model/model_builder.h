#pragma once
#include "predict/model/model.h"
#include "support/result.h"
#include "trace/trace.h"

namespace heddle::predict {

// Reads the trace twice: first which memory is shared, then what happened to it. Fails for a trace that is too large
// to be numbered (2^32 events, 65,535 threads).
//
// How events become nodes:
//   - of a recursive lock only the outermost acquire and release are there; a try that succeeded is an acquire;
//   - a condition wait is a release, Wait, Woken, an acquire. A Woken is after the notify that woke it: the first one
//     since its Wait that woke nobody else;
//   - leaving a barrier is after all arrivals of its round; a semaphore's wait after the post whose unit it takes, the
//     oldest first; going on after a futex wait after the latest wake-up of that word since;
//   - a failed try is inside the hold that made it fail.
Result<Model> build_model(trace::TraceReader& reader);
Result<Model> build_model(const trace::Trace& trace);

}  // namespace heddle::predict
