#include "runtime/control/failure.h"

#include <execinfo.h>
#include <sys/syscall.h>

#include "runtime/debug/annotate.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"
#include "runtime/signals/signals.h"

extern "C" __attribute__((visibility("default"), noinline)) void heddle_debug_failure() { asm volatile(""); }

namespace heddle::runtime {
namespace {

using format::OutcomeKind;

// The exit code of a process that the runtime ends. The host reads the session instead.
constexpr int kExitCode = 99;

[[noreturn]] void end_process() {
  heddle_debug_failure();
  session()->result.finished = 1;
  ring_notify_host();
  for (;;) raw_syscall(SYS_exit_group, kExitCode);
}

// The thread, live or exited, that must act before `thread` can continue; kNoThread: unknown, or there is none.
ThreadId waited_for(const Thread* thread) {
  if (thread->state != ThreadState::Blocked || thread->wait.key == nullptr) return kNoThread;
  switch (thread->wait.kind) {
    case EventKind::Join:
      return static_cast<const Thread*>(thread->wait.key)->id;
    case EventKind::Lock:
    case EventKind::OnceBegin:
      return holder_of(thread->wait.key);
    // The key of a waiting reader is the address of the lock plus 1 (interpose/locks/reader_writer_locks.cpp).
    case EventKind::ReadLock:
      return holder_of(static_cast<const char*>(thread->wait.key) - 1);
    default:
      return kNoThread;
  }
}

void report_thread(Thread* thread) {
  format::SessionResult& result = session()->result;
  if (result.report_count == format::kReportedThreadsMax) return;
  format::ThreadReport& report = result.reports[result.report_count++];
  report.thread = number(thread->id);
  report.waits_for = thread->state == ThreadState::Blocked ? thread->wait.kind : EventKind{};
  report.object = reinterpret_cast<std::uint64_t>(thread->wait.key);
  report.object_number = object_number(thread->wait.key);
  report.holder = number(waited_for(thread));
  __builtin_memcpy(report.name, thread->name, sizeof report.name);
  capture_stack(report.stack);
}

[[noreturn]] void fail_with_stacks(OutcomeKind kind, const char* message) {
  describe_failure(kind, message);
  collect_stacks(report_thread);
  end_process();
}

// True if the chain of waited_for() from `start` contains a cycle, or ends at a thread that exited while it held a
// lock.
bool waits_in_a_cycle(Thread* start) {
  Thread* thread = start;
  for (std::uint32_t i = 0; i <= live_thread_count(); ++i) {
    const ThreadId next = waited_for(thread);
    if (next == kNoThread) return false;
    thread = thread_by_id(next);
    if (thread == nullptr) return true;
  }
  return true;
}

}  // namespace

void copy_text(char* to, std::size_t capacity, const char* text) {
  std::size_t i = 0;
  for (; text != nullptr && text[i] != 0 && i + 1 < capacity; ++i) to[i] = text[i];
  to[i] = 0;
}

void say(const char* text) { raw_syscall(SYS_write, 2, text, __builtin_strlen(text)); }

void refuse_with(std::span<const char* const> texts) {
  say("heddle: ");
  for (const char* text : texts) say(text);
  say("\n");
  for (;;) raw_syscall(SYS_exit_group, 3);
}

void capture_stack(format::StackFrames& frames) {
  Uncontrolled libc;
  void* pcs[format::kFramesMax];
  const int count = backtrace(pcs, format::kFramesMax);
  frames.count = static_cast<std::uint32_t>(count);
  for (int i = 0; i < count; ++i) frames.pc[i] = reinterpret_cast<std::uint64_t>(pcs[i]);
}

void describe_failure(OutcomeKind kind, const char* message) {
  format::SessionResult& result = session()->result;
  if (result.outcome != OutcomeKind::Running) return;  // the first description is the cause
  result.thread = hot.current == nullptr ? 0 : number(hot.current->id);
  copy_text(result.message, sizeof result.message, message);
  result.outcome = kind;
  report_switches_met();
  capture_stack(result.stack);
  heddle_debug_failure();
}

void fail(OutcomeKind kind, const char* message) {
  describe_failure(kind, message);
  end_process();
}

void fail_all_blocked() {
  bool cycle = false;
  for_each_thread([&](Thread* thread) { cycle |= waits_in_a_cycle(thread); });
  if (cycle) fail_with_stacks(OutcomeKind::Deadlock, "threads wait for each other");
  fail_with_stacks(OutcomeKind::LostWakeup, "all threads wait and none can wake another");
}

void fail_diverged(const char* what, std::uint64_t run, std::uint32_t expected_thread) {
  format::Divergence& divergence = session()->result.divergence;
  divergence.happened = 1;
  divergence.step = hot.progress->steps;
  divergence.run = run;
  divergence.expected_thread = expected_thread;
  copy_text(divergence.what, sizeof divergence.what, what);
  divergence.runnable_count = 0;
  for_each_thread([&](Thread* thread) {
    if (thread->state == ThreadState::Runnable && divergence.runnable_count < format::kRunnableShownMax)
      divergence.runnable[divergence.runnable_count++] = number(thread->id);
  });
  fail(OutcomeKind::Diverged, what);
}

void fail_livelock() { fail_with_stacks(OutcomeKind::Livelock, "the step budget is used up"); }

void fail_misuse(const char* what, const void* object) {
  describe_failure(OutcomeKind::Misuse, what);
  session()->result.fault_address = reinterpret_cast<std::uint64_t>(object);
  end_process();
}

void fail_destroyed_in_use(const char* what, const void* object) {
  if (!format::is_graphed(session()->config.graph)) fail_misuse(what, object);
  rt.control.destroyed_in_use.push_back(object);
}

void fail_overwritten(const heap::BlockInfo& block, const void* address) {
  const auto* begin = static_cast<const char*>(block.begin);
  for (const void* object : rt.control.destroyed_in_use)
    if (object >= begin && object < begin + block.requested_bytes) return;
  fail_use_after_free(address, "freed memory was written to");
}

void fail_use_after_free(const void* address, const char* what) {
  session()->result.fault_address = reinterpret_cast<std::uint64_t>(address);
  describe_failure(OutcomeKind::UseAfterFree, what);
  end_process();
}

void fail_test() {
  session()->result.exit_code = 1;
  describe_failure(OutcomeKind::Exit, "");
  for (;;) raw_syscall(SYS_exit_group, 1);
}

void fail_uncontrolled(const char* primitive) {
  char text[256];
  copy_text(text, sizeof text, primitive);
  const std::size_t used = __builtin_strlen(text);
  copy_text(text + used, sizeof text - used,
            " is not under Heddle's control, on either engine; keep it out of the run");
  fail(OutcomeKind::Uncontrolled, text);
}

void fail_other_version() {
  constexpr const char* kMessage = "a module was compiled with another version of heddle-c++; rebuild it";
  if (session()->attached) fail(OutcomeKind::Uncontrolled, kMessage);
  refuse(kMessage);
}

void report_exit(int code) {
  format::SessionResult& result = session()->result;
  if (result.outcome == OutcomeKind::Running) {
    report_switches_met();
    result.outcome = code == 0 ? OutcomeKind::Ok : OutcomeKind::Exit;
    result.exit_code = code;
    if (code != 0) heddle_debug_failure();
  }
  result.finished = 1;
  ring_notify_host();
}

}  // namespace heddle::runtime
