#include "run/process/launcher.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "run/interrupt.h"
#include "run/process/child_process.h"
#include "run/replay/debugged_start.h"
#include "support/files.h"
#include "support/installation.h"

namespace heddle::run {
namespace {

using Clock = StallWatchdog::Clock;

constexpr std::chrono::microseconds kDrainWait{5'000};
constexpr std::chrono::microseconds kEndWait{200};  // while the program ends
// After its client has exited, a server counts as idle after this number of checks, kEndWait apart, without a step.
constexpr int kIdleChecks = 50;
constexpr std::chrono::seconds kAfterDriver{1};        // CPU time for the server to end by itself; some poll forever
constexpr std::chrono::seconds kAfterDriverMax{30};    // the same in real time, for busy machines
constexpr std::chrono::seconds kDriverVerdict{5};      // for the client to exit after the program
constexpr std::chrono::milliseconds kAtKnownEnd{100};  // without a step, until a known end counts as reached

// Under control the runtime handles faults and owns the alternate stack, and leak detection, which stops all threads,
// does not work.
constexpr char kSanitizerOptions[] =
    "detect_leaks=0:detect_stack_use_after_return=0:use_sigaltstack=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0";

std::vector<std::string> build_environment(const binary::ProgramFile& program, const RunOptions& options,
                                           int session_fd) {
  Variables variables = variables_of(own_environment());
  for (const std::string& name : options.unset_environment) variables.erase(name);
  for (const auto& [name, value] : options.environment) variables[name] = value;
  if (options.preload) {
    std::string& preload = variables["LD_PRELOAD"];
    preload = find_installation().runtime + (preload.empty() ? "" : ":" + preload);
  }
  if (!options.native && (program.sanitized || !program.elf)) {
    for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
      std::string& value = variables[name];
      value = kSanitizerOptions + (value.empty() ? "" : ":" + value);  // later options win: the user's
    }
  }
  variables[format::kSessionVariable] = std::to_string(session_fd);
  return entries_of(variables);
}

Result<UniqueFd> open_file(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
  if (!fd.valid()) return Error{"cannot open " + path + ": " + std::strerror(errno)};
  return fd;
}

// Rewinds a file on stdin, because one command may start the program several times.
void rewind_stdin() {
  struct stat status;
  if (::fstat(0, &status) == 0 && S_ISREG(status.st_mode)) ::lseek(0, 0, SEEK_SET);
}

// Starts the client of a server under test, with the port in HEDDLE_PORT.
std::optional<ChildProcess> start_driver(const RunOptions& options, std::uint32_t port) {
  ChildSpec spec;
  spec.program = "/bin/sh";
  spec.arguments = {"sh", "-c", options.driver};
  spec.environment = own_environment();
  spec.environment.push_back("HEDDLE_PORT=" + std::to_string(port));
  spec.working_directory = options.working_directory;
  spec.randomize_addresses = true;
  Result<UniqueFd> nothing = open_file("/dev/null", O_RDWR);
  if (!nothing) return std::nullopt;
  spec.stdin_fd = nothing->get();
  spec.stdout_fd = options.output == Output::Discard ? nothing->get() : 2;
  if (options.output == Output::Discard) spec.stderr_fd = nothing->get();
  Result<ChildProcess> child = ChildProcess::start(spec);
  if (!child) return std::nullopt;
  return std::move(*child);
}

// Follows one process until its end. One loop drains the ring, serves the watcher, and ends the run for one of five
// reasons: a stop request, the time limit, a stall, the known end, or the exit of the client of a server. Before a
// time-out or a stall ends the run, the runtime gets a signal and kStackTime to record the stack of the running thread.
// Time during which the program waits for a processor does not count, so that a loaded machine does not change the
// outcome. Under a debugger only the ring is served: gdb decides about interrupts and time.
class RunMonitor {
 public:
  RunMonitor(const RunOptions& options, SessionMemory& memory, ChildProcess& child, RingSink* sink,
             SessionWatcher* watcher)
      : options_(options),
        memory_(memory),
        child_(child),
        sink_(sink),
        watcher_(watcher),
        watchdog_(options.stall),
        fan_out_(std::in_place, sink) {}

  void run_until_end(Execution& execution, Clock::time_point start) {
    RunClock time(start, options_.timeout);
    while (!child_.poll()) {
      // In large pieces: each check moves the cache line of the ring's position away from the program.
      drain();
      if (watcher_ != nullptr) watcher_->look(memory_);
      memory_.wait_for_data(ending() ? kEndWait : kDrainWait);
      if (debugged()) {
        if (take_renewal_request()) restart_session();
        continue;
      }
      const Clock::time_point now = Clock::now();
      if (options_.stop.stop_requested()) {
        execution.interrupted = true;
        child_.kill_all();
        break;
      }
      if (is_at_known_end(now) && end_as_known(execution)) break;
      // Native threads also wait for processors that other threads of the program use, so this time counts.
      if (time.is_over(now, [this] { return options_.native ? ProcessUsage{} : child_.usage(); })) {
        execution.timed_out = true;
        request_stack(WatchdogReason::TimeOut);
        child_.kill_all();
        break;
      }
      if (is_watched()) execution.stall = detect_stall(now);
      if (!options_.driver.empty() && drive(execution)) break;
    }
    execution.wait_status = child_.wait();
    if (driver_ && execution.wait_status == 0 && !execution.interrupted && !execution.timed_out)
      wait_for_driver(execution);
    execution.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    while (take(memory_.readable_at_rest())) {
    }
    if (watcher_ != nullptr) watcher_->end(memory_);
  }

  RingFanOut& fan_out() { return *fan_out_; }

 private:
  bool drain() { return take(memory_.readable()); }

  bool take(std::span<const std::uint64_t> words) {
    if (words.empty()) return false;
    fan_out_->consume(words, memory_.is_behind());
    memory_.release(words.size());
    return true;
  }

  // Starts the client when the program listens. Returns true if the client has exited and the program has ended.
  bool drive(Execution& execution) {
    if (!driver_) {
      if (memory_.session().listening.load(std::memory_order_acquire) == 0) return false;
      std::optional<ChildProcess> started = start_driver(options_, memory_.session().listening_port);
      if (!started) return false;
      driver_.emplace(std::move(*started));
    }
    const std::optional<int> status = driver_->poll();
    if (!status) return false;
    execution.driver_status = *status;
    // Gives a server that ends after its client the time to do so.
    const Clock::time_point end = Clock::now() + kAfterDriverMax;
    const std::chrono::milliseconds used = child_.usage().cpu;
    while (Clock::now() < end && child_.usage().cpu < used + kAfterDriver) {
      if (child_.poll()) return true;
      if (options_.stop.stop_requested()) {
        execution.interrupted = true;
        break;
      }
      drain();
      memory_.wait_for_data(kEndWait);
      if (!is_program_active()) break;
    }
    execution.ended_by_driver = !execution.interrupted && !child_.poll();
    child_.kill_all();
    return true;
  }

  // The program has ended before its client, which may still check the received data.
  void wait_for_driver(Execution& execution) {
    const Clock::time_point end = Clock::now() + kDriverVerdict;
    while (Clock::now() < end && !options_.stop.stop_requested()) {
      if (const std::optional<int> status = driver_->poll()) {
        execution.driver_status = *status;
        return;
      }
      std::this_thread::sleep_for(kEndWait);
    }
    driver_->kill_all();
  }

  // False after kIdleChecks calls without a step and without a runnable thread.
  bool is_program_active() {
    const std::uint64_t steps = memory_.session().progress.steps;
    if (ending() || steps != driver_steps_ || child_.usage().runnable) idle_checks_ = 0;
    driver_steps_ = steps;
    return idle_checks_++ < kIdleChecks;
  }

  bool ending() const { return memory_.session().result.outcome != format::OutcomeKind::Running; }

  bool debugged() const { return !options_.debugger_command.empty(); }

  void restart_session() {
    memory_.renew();
    fan_out_.emplace(sink_);
  }

  bool attached() const { return memory_.session().attached != 0; }

  // A single thread may compute or wait without a limit.
  bool is_watched() const { return attached() && !options_.native && memory_.session().progress.threads > 1; }

  StallWatchdog::Verdict detect_stall(Clock::time_point now) {
    const StallWatchdog::Verdict verdict =
        watchdog_.observe(memory_.session().progress.steps, now, [this] { return child_.usage(); });
    if (verdict == StallWatchdog::Verdict::Moving) return verdict;
    const bool ended = request_stack(verdict == StallWatchdog::Verdict::Spinning ? WatchdogReason::Spinning
                                                                                 : WatchdogReason::Sleeping);
    // The run continues if the runtime does not end it, because it waits for external input itself.
    return ended ? verdict : StallWatchdog::Verdict::Moving;
  }

  // True once the run has made the known number of steps, and either more or none for a moment.
  bool is_at_known_end(Clock::time_point now) {
    if (!options_.known_end || passed_known_end_) return false;
    const std::uint64_t steps = memory_.session().progress.steps;
    if (steps < options_.known_end->steps) return false;
    if (!at_known_end_since_) at_known_end_since_ = now;
    return steps > options_.known_end->steps || now - *at_known_end_since_ >= kAtKnownEnd;
  }

  // Returns true if the run has ended. A run that does not spin continues, up to its limits.
  bool end_as_known(Execution& execution) {
    const bool spun = options_.known_end->spun;
    const bool ended = request_stack(spun ? WatchdogReason::Spinning : WatchdogReason::TimeOut);
    passed_known_end_ = spun && !ended;
    if (passed_known_end_) return false;
    if (spun)
      execution.stall = StallWatchdog::Verdict::Spinning;
    else
      execution.timed_out = true;
    child_.kill_all();
    return true;
  }

  // Returns true if the program has ended after the request.
  bool request_stack(WatchdogReason reason) {
    if (!attached()) return false;
    child_.send(SIGRTMAX - 1, static_cast<int>(reason));
    const Clock::time_point end = Clock::now() + kStackTime;
    while (Clock::now() < end && !options_.stop.stop_requested()) {
      if (child_.poll()) return true;
      drain();
      memory_.wait_for_data(kEndWait);
    }
    return false;
  }

  const RunOptions& options_;
  SessionMemory& memory_;
  ChildProcess& child_;
  RingSink* sink_;
  SessionWatcher* watcher_;
  StallWatchdog watchdog_;
  std::optional<RingFanOut> fan_out_;
  std::optional<ChildProcess> driver_;
  std::uint64_t driver_steps_ = 0;
  int idle_checks_ = 0;
  std::optional<Clock::time_point> at_known_end_since_;
  bool passed_known_end_ = false;
};

}  // namespace

Error not_instrumented(const std::string& program) {
  return {program +
              " ran without Heddle, because neither it nor a program that it starts is instrumented; build it with "
              "CC=heddle-cc CXX=heddle-c++",
          ExitCode::Uncontrolled};
}

format::SessionConfig session_config(const RunOptions& options) {
  format::SessionConfig config{};
  config.engine = options.engine;
  config.strategy = options.strategy;
  config.seed = options.seed;
  config.quantum = quantum_of(options);
  config.depth = options.depth;
  config.length = options.length;
  config.default_order = options.default_order;
  config.steps_max = options.steps_max;
  config.early_timeout_ns = static_cast<std::uint64_t>(options.early_timeout.count());
  config.arm_mode = options.arm_mode;
  config.time_model = options.time_model;
  config.processors = options.processors;
  if (!options.record_path.empty()) config.flags |= format::kRecordEvents;
  if (!options.record_path.empty() && options.record_flow)
    config.flags |= format::kRecordBlocks | format::kRecordValues;
  if (options.record_values) config.flags |= format::kRecordValues;
  if (options.annotate) config.flags |= format::kAnnotate;
  if (options.spurious_wakeups) config.flags |= format::kSpuriousWakeups;
  if (options.native) config.flags |= format::kNative;
  if (!options.debugger_command.empty()) config.flags |= format::kDebugger;
  return config;
}

void set_schedule(RunOptions& options, const format::SessionConfig& config) {
  options.strategy = config.strategy;
  options.seed = config.seed;
  options.quantum = config.quantum;
  options.depth = config.depth;
  options.length = config.length;
  options.default_order = config.default_order;
}

Result<StartedProgram> start_program(const binary::ProgramFile& program, const RunOptions& options,
                                     const SessionMemory& memory) {
  if (options.preload) {
    if (Status readable = check_readable_file(find_installation().runtime); !readable) return readable.error();
  }
  ChildSpec spec;
  spec.program = program.path;
  spec.arguments = {program.path};
  spec.arguments.insert(spec.arguments.end(), options.arguments.begin(), options.arguments.end());
  spec.environment = build_environment(program, options, memory.fd());
  spec.working_directory = options.working_directory;
  spec.inherited_fds = {memory.fd()};
  spec.randomize_addresses = options.keep_aslr;

  UniqueFd input, debugged_start, discard, captured_stdout, captured_stderr;
  if (!options.stdin_file.empty()) {
    Result<UniqueFd> file = open_file(options.stdin_file, O_RDONLY);
    if (!file) return file.error();
    input = std::move(*file);
    spec.stdin_fd = input.get();
  } else {
    rewind_stdin();
  }
  if (!options.debugger_command.empty()) {
    Result<UniqueFd> start = put_in_debugger(spec, options.stdin_file, options.debugger_command);
    if (!start) return start.error();
    debugged_start = std::move(*start);
    spec.stdin_fd = 0;  // gdb reads the user's commands
  }
  if (options.output == Output::ToStderr) spec.stdout_fd = 2;
  if (options.output == Output::Discard) {
    Result<UniqueFd> file = open_file("/dev/null", O_WRONLY);
    if (!file) return file.error();
    discard = std::move(*file);
    spec.stdout_fd = spec.stderr_fd = discard.get();
  }
  if (!options.fails_if.empty()) {
    Result<UniqueFd> out = make_unnamed_file();
    if (!out) return out.error();
    Result<UniqueFd> err = make_unnamed_file();
    if (!err) return err.error();
    captured_stdout = std::move(*out);
    captured_stderr = std::move(*err);
    spec.stdout_fd = captured_stdout.get();
    spec.stderr_fd = captured_stderr.get();
  }
  Result<ChildProcess> child = ChildProcess::start(spec);
  if (!child) return child.error();
  return StartedProgram{std::move(*child), std::move(captured_stdout), std::move(captured_stderr)};
}

Result<Execution> launch(const binary::ProgramFile& program, const RunOptions& options, const SessionInputs& inputs,
                         RingSink* sink, SessionWatcher* watcher) {
  Result<SessionMemory> memory = SessionMemory::create(inputs);
  if (!memory) return memory.error();
  const InterruptGuard guard;
  const Clock::time_point start = Clock::now();
  Result<StartedProgram> started = start_program(program, options, *memory);
  if (!started) return started.error();
  if (sink != nullptr) sink->begin(memory->session().result);
  Execution execution;
  RunMonitor monitor(options, *memory, started->child, sink, watcher);
  monitor.run_until_end(execution, start);

  const format::Session& session = memory->session();
  execution.attached = session.attached != 0;
  execution.progress = session.progress;
  execution.result = std::make_unique<format::SessionResult>(session.result);
  execution.decisions = monitor.fan_out().finish(session.progress);
  execution.captured_stdout = std::move(started->captured_stdout);
  execution.captured_stderr = std::move(started->captured_stderr);
  if (monitor.fan_out().problem()) execution.problems.push_back(monitor.fan_out().problem()->message);
  return execution;
}

}  // namespace heddle::run
