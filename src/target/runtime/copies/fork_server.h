#pragma once
// The fork server: many runs from one start of the program. The process stops before main, and each run is a copy of
// it. In the middle of a run it can leave further copies, checkpoints, from which other runs continue without
// repeating its beginning.
//
// - Raw clone with CLONE_PARENT makes all copies, so the host is the parent of each and learns directly how it ends.
// - A server or checkpoint waits at a slot of the session (format/server_protocol.h) and makes one copy per command.
// - Only the fiber engine can be copied, because its program threads share one kernel thread.
// - A copy shares file positions with its siblings, so it opens every regular file again.
// - A checkpoint is not left if the copy would share state that cannot be separated: other processes, open channels,
//   a running signal timer, or a file that the program writes to.
namespace heddle::runtime {

// Returns once in each run that the host requests, with the session's configuration of that run; never in the server.
void serve_runs();

// At CopyState::checkpoint_step: leaves a checkpoint, or lets the host read the program's memory
// (format::SessionConfig::freeze_at). REQUIRES: the current thread is at a point. Returns in this run, and in every run
// from the checkpoint, which has a new strategy.
void leave_checkpoint();

}  // namespace heddle::runtime
