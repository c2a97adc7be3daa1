#pragma once
// The state of the runtime, one member per folder.
//
// Normally a process is one run, and its state ends with it. There are two exceptions: a test body that is repeated
// inside the process, and a copy of the process (or main itself), which continues under the current configuration of
// the session. The functions below prepare the state for these runs; only they call the reset() of a member, which
// clears whatever the new run must not inherit.
//
// INVARIANT: all of it is zero before the runtime starts. It therefore takes no page of the library's file, and an
// interposed function that is called before the runtime's constructor finds a runtime that does nothing.
//
// Some state lives elsewhere: objects that assembly reads by name (hot, ring, compact_graph, own_graphs,
// heddle_compact_sizes), objects that gdb reads, the session, thread-local variables, the heap, and the state that
// native threads share (graph/, debug/injection.cpp).
#include "runtime/control/state.h"
#include "runtime/copies/state.h"
#include "runtime/debug/state.h"
#include "runtime/engine/state.h"
#include "runtime/hooks/state.h"
#include "runtime/interpose/state.h"
#include "runtime/io/state.h"
#include "runtime/memory/arena.h"
#include "runtime/record/state.h"
#include "runtime/schedule/state.h"
#include "runtime/signals/state.h"

namespace heddle::runtime {

struct Runtime {
  ArenaState arena;
  SchedulerState scheduler;
  ChoiceState choice;
  EngineState engine;
  SignalState signals;
  IoState io;
  ProcessState processes;
  RecordingState recording;
  ObservationState observation;
  IterationState iterations;
  CopyState copies;
  ControlState control;
  SanitizerState sanitizers;
  DebugState debug;
  InterposeState interpose;

  // Starts the next repetition of a test body. REQUIRES: one thread exists, and it has the turn.
  void begin_run();
  // Continues under the session's configuration: main starts, or this process is a copy made in the middle of a run.
  void continue_run();
  // This process is a copy of its predecessor, made by raw clone: renews the process id and Syscall User Dispatch.
  void become_copy();
  // This process is a child that the program forked. It has one thread and runs without control. `own_number`: the
  // process number that the parent received.
  void end_control(pid_t own_number);
};
extern constinit Runtime rt;

}  // namespace heddle::runtime
