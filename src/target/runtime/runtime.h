#pragma once
// All that the runtime remembers, room by room, in one object. A run ends with its process, but for two cases: a test
// body that is repeated inside the process, and main or a checkpoint's copy, which continues under the configuration
// that the session has by then. What such a run must not inherit, each room resets in its own reset(); these functions
// are the only ones that call it.
//
// All of it is zero before the runtime begins: the object costs no page of the library's file, and an interposed
// function that is called before our constructor finds a runtime that does nothing. Outside of it are what assembly
// reads by name (hot, ring, compact_graph, own_graphs, heddle_compact_sizes), what gdb reads, the session, thread-local
// variables, the heap, and what native threads share (graph/, debug/injection.cpp).
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

  // Another run begins in this process: a body is repeated. REQUIRES: one thread, which has the turn.
  void begin_run();
  // The run continues under the session's configuration: main begins, or this is a copy that was made in the middle.
  void continue_run();
  // This process is a copy of the one that ran so far, made by raw clone: its own number, and system calls caught
  // again.
  void become_copy();
  // This process is the program's own forked child: the other threads are gone, and control with them. `own_number`:
  // what its parent knows it by.
  void end_control(pid_t own_number);
};
extern constinit Runtime rt;

}  // namespace heddle::runtime
