#include "run/process/fork_server.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>

#include "binary/sections/site_names.h"
#include "run/verdict/predicate.h"

namespace heddle::run {
namespace {

using Clock = StallWatchdog::Clock;
using format::OutcomeKind;

constexpr std::chrono::milliseconds kTick{50};          // between two checks of interrupts, time and progress
constexpr std::chrono::milliseconds kDrainTick{2};      // while the ring must be emptied
constexpr std::chrono::milliseconds kStartTime{1'000};  // for a program to reach main after the end of the time

void wake(std::atomic<std::uint32_t>& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds time) {
  const timespec timeout{time.count() / 1'000, time.count() % 1'000 * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}

// Binds this thread to a processor: the runtime of a program stays on the processor on which the program starts.
class ProcessorBinding {
 public:
  explicit ProcessorBinding(int processor) {
    if (processor < 0 || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(processor), &one);
    bound_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~ProcessorBinding() {
    if (bound_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  ProcessorBinding(const ProcessorBinding&) = delete;
  ProcessorBinding& operator=(const ProcessorBinding&) = delete;

 private:
  cpu_set_t before_{};
  bool bound_ = false;
};

}  // namespace

Result<std::unique_ptr<ForkServer>> ForkServer::start(const binary::ProgramFile& program, const RunOptions& options,
                                                      const ServerOptions& server) {
  SessionInputs inputs;
  inputs.config = session_config(options);
  inputs.config.flags |= format::kForkServer;
  if (server.observe) inputs.config.flags |= format::kObserve;
  if (server.record)
    inputs.config.flags |= format::kRecordEvents;
  else if (!server.collect_schedule)
    inputs.config.flags |= format::kDiscardRing;
  inputs.config.hosts = server.hosts;
  inputs.armed_names = binary::site_name_hashes(options.armed);
  inputs.log_words = server.log_words;
  inputs.pairs_slots = server.pairs_slots;
  inputs.graph = server.graph;
  inputs.run_input_bytes = std::uint64_t{4} << 20;
  Result<SessionMemory> memory = SessionMemory::create(inputs);
  if (!memory) return memory.error();
  const ProcessorBinding bound(server.processor);
  Result<StartedProgram> started = start_program(program, options, *memory);
  if (!started) return started.error();
  std::unique_ptr<ForkServer> made(new ForkServer(std::move(*started), std::move(*memory), options));
  if (Status ready = made->wait_until_ready(); !ready) return ready.error();
  made->save_output_sizes();
  return made;
}

ForkServer::ForkServer(StartedProgram started, SessionMemory memory, const RunOptions& options)
    : started_(std::move(started)), memory_(std::move(memory)), options_(options) {}

ForkServer::~ForkServer() {
  for (std::uint32_t slot = 1; slot < format::kCheckpointsMax; ++slot) retire_checkpoint(slot);
}

// Saves how much the program printed before main, because this output belongs to every run.
void ForkServer::save_output_sizes() {
  for (const UniqueFd* output : {&started_.captured_stdout, &started_.captured_stderr})
    output_before_main_.push_back(output->valid() ? ::lseek(output->get(), 0, SEEK_END) : 0);
}

// Truncates the two output files, which all copies share: --fails-if reads the output of one run.
void ForkServer::truncate_output() {
  const UniqueFd* const outputs[] = {&started_.captured_stdout, &started_.captured_stderr};
  for (std::size_t i = 0; i < std::size(outputs); ++i) {
    if (!outputs[i]->valid()) continue;
    [[maybe_unused]] const int cut = ::ftruncate(outputs[i]->get(), output_before_main_[i]);
    ::lseek(outputs[i]->get(), output_before_main_[i], SEEK_SET);
  }
}

Status ForkServer::wait_until_ready() {
  format::ServerSlot& slot = memory_.session().server.slots[0];
  const Clock::time_point begin = Clock::now();
  while (slot.ready.load(std::memory_order_acquire) == 0) {
    if (started_.child.poll()) {
      if (memory_.session().attached == 0) return not_instrumented(options_.program);
      return Error{options_.program + " ended before main; see why with: heddle run -- " + options_.program,
                   ExitCode::Uncontrolled};
    }
    if (options_.stop.is_interrupted()) return Error{"interrupted", ExitCode::Uncontrolled};
    if (options_.stop.is_out_of_time() && Clock::now() - begin >= kStartTime) {
      return Error{options_.program + " did not reach main within the given time; give --time more",
                   ExitCode::Uncontrolled};
    }
    if (options_.timeout.count() != 0 && Clock::now() - begin >= options_.timeout) {
      return Error{options_.program + " did not reach main within --timeout; give --timeout more time",
                   ExitCode::Uncontrolled};
    }
    wait_while(slot.ready, 0, kTick);
  }
  // Records from before main belong to no run.
  while (!memory_.readable_at_rest().empty()) memory_.release(memory_.readable_at_rest().size());
  base_step_ = slot.step;
  modules_before_ = memory_.session().result.module_count;
  return ok_status();
}

// Resets the fields that a run sets, except for the modules; the tables are too large to clear.
void ForkServer::reset_result() {
  format::SessionResult& result = memory_.session().result;
  result.outcome = OutcomeKind::Running;
  result.exit_code = 0;
  result.signal = 0;
  result.thread = 0;
  result.fault_address = 0;
  result.message[0] = 0;
  result.stack.count = 0;
  result.report_count = 0;
  result.module_count = modules_before_;
  result.divergence.happened = 0;
  result.switches_met = result.switches_total = 0;
  result.finished = 0;
  result.early_timeouts = result.late_timeouts = {};
  result.early_described = 0;
  memory_.session().log = {};
  memory_.session().repeat_iteration = 0;
}

Result<ServedRun> ForkServer::run(const SessionInputs& inputs, std::uint32_t from_slot,
                                  std::span<const CheckpointRequest> checkpoints, RingSink* sink) {
  if (!memory_.set_run(inputs)) return Error{"the schedule does not fit into the memory of the fork server"};
  reset_result();
  truncate_output();
  format::ServerControl& server = memory_.session().server;
  server.checkpoint_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(checkpoints.size(), format::kCheckpointsMax));
  for (std::uint32_t i = 0; i < server.checkpoint_count; ++i) {
    server.checkpoint_steps[i] = checkpoints[i].step;
    server.checkpoint_slots[i] = checkpoints[i].slot;
    server.slots[checkpoints[i].slot].process = 0;
  }
  const std::uint32_t started = server.started.load(std::memory_order_acquire);
  format::ServerSlot& slot = server.slots[from_slot];
  slot.retire = 0;
  slot.command.fetch_add(1, std::memory_order_release);
  wake(slot.command);
  while (server.started.load(std::memory_order_acquire) == started) {
    if (from_slot == 0 && started_.child.poll()) {
      return Error{options_.program + ": the fork server process has ended; start the command again",
                   ExitCode::Uncontrolled};
    }
    if (options_.stop.is_interrupted()) {
      ServedRun none;
      none.interrupted = true;
      return none;
    }
    wait_while(server.started, started, kTick);
  }
  const int pid = server.process;
  if (pid < 0)
    return Error{std::string("cannot fork a copy of the program: ") + std::strerror(-pid), ExitCode::Uncontrolled};
  return follow(pid, sink);
}

Result<ServedRun> ForkServer::follow(int pid, RingSink* sink) {
  ServedRun run;
  const UniqueFd descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  RunClock time(Clock::now(), options_.timeout);
  StallWatchdog watchdog(options_.stall);
  bool timed_out = false;
  Clock::time_point stack_deadline{};
  WatchdogReason requested{};
  const auto request_stack = [&](WatchdogReason reason) {
    sigval payload{};
    payload.sival_int = static_cast<int>(reason);
    ::sigqueue(pid, SIGRTMAX - 1, payload);
    requested = reason;
    stack_deadline = Clock::now() + kStackTime;
  };
  const bool drains = (memory_.session().config.flags & format::kDiscardRing) == 0;
  RingFanOut fan_out(sink);
  const auto take = [&](std::span<const std::uint64_t> words) {
    if (!drains || words.empty()) return false;
    fan_out.consume(words, memory_.is_behind());
    memory_.release(words.size());
    return true;
  };
  for (;;) {
    pollfd query{descriptor.get(), POLLIN, 0};
    const int ready = ::poll(&query, 1, static_cast<int>((drains ? kDrainTick : kTick).count()));
    while (take(memory_.readable())) {
    }
    if (ready > 0) break;
    const Clock::time_point now = Clock::now();
    if (options_.stop.stop_requested()) {
      run.interrupted = true;
      ::kill(pid, SIGKILL);
      break;
    }
    if (requested != WatchdogReason{}) {
      if (now < stack_deadline) continue;
      if (requested == WatchdogReason::TimeOut) {
        ::kill(pid, SIGKILL);
        break;
      }
      requested = {};  // the run continues: the runtime itself waits for external input
    }
    if (time.is_over(now, [pid] { return process_usage(pid); })) {
      timed_out = true;
      request_stack(WatchdogReason::TimeOut);
      continue;
    }
    if (memory_.session().progress.threads <= 1) continue;
    const auto verdict = watchdog.observe(memory_.session().progress.steps, now, [pid] { return process_usage(pid); });
    if (verdict == StallWatchdog::Verdict::Moving) continue;
    run.spun = verdict == StallWatchdog::Verdict::Spinning;
    request_stack(run.spun ? WatchdogReason::Spinning : WatchdogReason::Sleeping);
  }
  while (::waitpid(pid, &run.wait_status, 0) < 0 && errno == EINTR) {
  }
  while (take(memory_.readable_at_rest())) {
  }
  const format::SessionResult& result = memory_.session().result;
  run.progress = memory_.session().progress;
  if (drains) run.decisions = fan_out.finish(run.progress);
  run.outcome = classify(run.wait_status, result, timed_out, run.interrupted);
  run.spun = run.spun && requested == WatchdogReason::Spinning && run.outcome.failed();
  if (Status applied =
          apply_predicate(options_, started_.captured_stdout.get(), started_.captured_stderr.get(), run.outcome);
      !applied)
    return applied.error();
  if (is_predicate_stopped(options_)) run.interrupted = true;
  return run;
}

std::uint64_t ForkServer::checkpoint_step(std::uint32_t slot) {
  format::ServerSlot& at = memory_.session().server.slots[slot];
  if (at.process <= 0) return 0;
  while (at.ready.load(std::memory_order_acquire) == 0) {
    if (::kill(at.process, 0) != 0 || options_.stop.is_interrupted()) return 0;
    wait_while(at.ready, 0, kTick);
  }
  return at.step;
}

void ForkServer::retire_checkpoint(std::uint32_t slot) {
  format::ServerSlot& at = memory_.session().server.slots[slot];
  if (checkpoint_step(slot) == 0) return;
  at.ready.store(0);
  at.retire = 1;
  at.command.fetch_add(1, std::memory_order_release);
  wake(at.command);
  while (::waitpid(at.process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace heddle::run
