#pragma once
#include "predict/model/model.h"
#include "support/result.h"
#include "trace/trace.h"

namespace heddle::predict {

// Reads the trace twice: first to find the shared memory, then to build the nodes. Fails for a trace that exceeds the
// numbering (2^32 events, 65,535 threads).
//
// How events become nodes:
//   - a recursive lock has only its outermost acquire and release; a successful try is an acquire;
//   - a condition wait is a release, Wait, Woken and an acquire. A Woken is after the notify that woke it: the first
//     since its Wait that woke no other thread;
//   - leaving a barrier is after all arrivals of its round; a semaphore wait is after the post whose unit it takes, the
//     oldest first; the node that follows a futex wait is after the latest wake-up of that word since;
//   - a failed try is inside the hold that made it fail.
Result<Model> build_model(trace::TraceReader& reader);
Result<Model> build_model(const trace::Trace& trace);

}  // namespace heddle::predict
