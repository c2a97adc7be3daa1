#pragma once
// Many runs from one start: the process stops before main, and every run is a copy of it. A run may leave copies of
// itself behind in the middle, checkpoints, from which other runs go on without doing again what came before.
//
// All copies are made by raw clone with CLONE_PARENT, so that the host is everybody's parent and learns by itself how
// each ends. Only the fiber engine can be copied: all its program threads live on one kernel thread.
namespace heddle::runtime {

// Comes back once in every run that the host asks for, with the session's configuration of that run; never in the
// server.
void serve_runs();

// At CopyState::checkpoint_step: leaves a copy, or lets the host read the program's memory
// (format::SessionConfig::freeze_at). REQUIRES: the current thread is at a point, and its strategy can be asked anew.
// Comes back in this run, and in every run that is made from the checkpoint.
void leave_checkpoint();

}  // namespace heddle::runtime
