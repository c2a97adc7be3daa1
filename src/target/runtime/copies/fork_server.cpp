#include "runtime/copies/fork_server.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/copies/freeze.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/hosts.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/processes/processes.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/compact.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {

namespace {

using format::ServerControl;
using format::ServerSlot;

struct OpenFile {
  int descriptor;
  int flags;
  int descriptor_flags;
  long position;
};

class OpenFiles {
 public:
  OpenFiles() {
    for (int descriptor = 0; descriptor < kDescriptorsMax; ++descriptor) {
      struct stat status;
      if (raw_syscall(SYS_fstat, descriptor, &status) != 0 || !S_ISREG(status.st_mode)) continue;
      const long flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL);
      files_.push_back({descriptor, static_cast<int>(flags),
                        static_cast<int>(raw_syscall(SYS_fcntl, descriptor, F_GETFD)),
                        raw_syscall(SYS_lseek, descriptor, 0, SEEK_CUR)});
    }
  }

  // True if a sibling of this run could see its writes to a file. The captured standard output does not count.
  bool written_by_program() const {
    for (const OpenFile& file : files_)
      if (file.descriptor > 2 && (file.flags & O_ACCMODE) != O_RDONLY) return true;
    return false;
  }

  void open_again() const {
    for (const OpenFile& file : files_) {
      char path[32] = "/proc/self/fd/";
      char* end = path + 14;
      if (file.descriptor >= 100) *end++ = static_cast<char>('0' + file.descriptor / 100);
      if (file.descriptor >= 10) *end++ = static_cast<char>('0' + file.descriptor / 10 % 10);
      *end++ = static_cast<char>('0' + file.descriptor % 10);
      *end = 0;
      const bool captured = file.descriptor <= 2 && (file.flags & O_ACCMODE) != O_RDONLY;
      const long opened = raw_syscall(SYS_open, path, file.flags & ~(O_CREAT | O_EXCL | O_TRUNC), 0);
      if (opened < 0) continue;
      if (captured) raw_syscall(SYS_ftruncate, opened, file.position);  // removes the output of a sibling
      raw_syscall(SYS_lseek, opened, file.position, SEEK_SET);
      raw_syscall(SYS_dup3, opened, file.descriptor, (file.descriptor_flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
      raw_syscall(SYS_close, opened);
    }
  }

 private:
  static constexpr int kDescriptorsMax = 256;
  GrowingArray<OpenFile> files_;
};

void wake_host(std::atomic<std::uint32_t>& word) { raw_syscall(SYS_futex, &word, FUTEX_WAKE, 1); }

void become_copy() {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG,
              SIGKILL);  // not inherited; without it, it would wait forever for a dead host
  rt.become_copy();
}

// Schedules the first checkpoint, from index `next` on, that lies ahead.
void read_checkpoint_plan(std::uint32_t next) {
  const ServerControl& server = session()->server;
  const std::uint32_t count =
      server.checkpoint_count < format::kCheckpointsMax ? server.checkpoint_count : format::kCheckpointsMax;
  while (next < count && server.checkpoint_steps[next] <= hot.progress->steps) ++next;
  rt.copies.next_checkpoint = next;
  rt.copies.checkpoint_step = next < count ? server.checkpoint_steps[next] : kNoStep;
}

// Waits at the slot and makes a copy for every command. Returns in the copies only. `progress` and `files` are the
// state of this process: the runs overwrite the session, which is shared, and move the shared file positions.
void serve(std::uint32_t slot_number, const format::SessionProgress& progress, const OpenFiles& files) {
  ServerControl& server = session()->server;
  ServerSlot& slot = server.slots[slot_number];
  const std::uint32_t modules = session()->result.module_count;
  slot.process = process_id();
  slot.step = progress.steps;
  std::uint32_t seen = slot.command.load(std::memory_order_acquire);
  ring_publish();
  slot.ready.store(1, std::memory_order_release);
  wake_host(slot.ready);
  for (;;) {
    while (slot.command.load(std::memory_order_acquire) == seen)
      raw_syscall(SYS_futex, &slot.command, FUTEX_WAIT, seen, nullptr);
    ++seen;
    if (slot.retire != 0) raw_syscall(SYS_exit_group, 0);
    const long copy = raw_syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (copy == 0) break;
    server.process = static_cast<std::int32_t>(copy);
    server.started.fetch_add(1, std::memory_order_release);
    wake_host(server.started);
  }
  become_copy();
  files.open_again();
  *hot.progress = progress;
  session()->result.module_count = modules;
  begin_compact();
}

bool can_be_copied(const OpenFiles& files) {
  return engine_is_fiber() && !other_processes_exist() && !channels_exist() && next_signal_timer() == kNoDeadline &&
         !files.written_by_program();
}

}  // namespace

void CopyState::reset() {
  read_checkpoint_plan(0);
  const format::SessionConfig& config = session()->config;
  if (config.freeze_at > hot.progress->steps && config.freeze_descent == 0) checkpoint_step = config.freeze_at;
}

void serve_runs() {
  prepare_hosts();
  const format::SessionProgress progress = *hot.progress;
  serve(0, progress, OpenFiles());
}

void leave_checkpoint() {
  if (session()->config.freeze_at != 0) {
    rt.copies.checkpoint_step = kNoStep;
    return freeze();
  }
  const std::uint32_t slot = session()->server.checkpoint_slots[rt.copies.next_checkpoint];
  read_checkpoint_plan(rt.copies.next_checkpoint + 1);
  if (slot >= format::kCheckpointsMax) return;
  const OpenFiles files;  // before the copy, because this run continues to read and write
  if (!can_be_copied(files)) return;
  const format::SessionProgress progress = *hot.progress;
  const long copy = raw_syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
  if (copy != 0) {
    // This run continues, and the host waits until the copy is ready.
    if (copy > 0) session()->server.slots[slot].process = static_cast<std::int32_t>(copy);
    return;
  }
  become_copy();
  serve(slot, progress, files);
  rt.continue_run();
  choose_at_this_point();
}

}  // namespace heddle::runtime
