#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "binary/program_file.h"
#include "format/run_result.h"
#include "run/process/launcher.h"
#include "run/process/session_memory.h"
#include "run/run_options.h"
#include "run/verdict/outcome.h"
#include "support/result.h"

namespace heddle::run {

// Options of the server itself.
struct ServerOptions {
  std::uint32_t hosts = 0;        // expected number of threads of a run
  std::uint64_t log_words = 0;    // for systematic searches; 0: no decision log
  std::uint64_t pairs_slots = 0;  // for coverage; 0: no pairs of sites
  format::GraphConfig graph{};    // for communication graphs; read it from memory() after a run
  bool record = false;            // record the events of the runs
  bool collect_schedule = false;  // for clips
  bool observe = false;           // maintain the hash of the happens-before class
  int processor = -1;             // that the program is bound to; -1: any
};

// A step at which a run leaves a copy of itself in a slot.
struct CheckpointRequest {
  std::uint64_t step = 0;
  std::uint32_t slot = 0;
};

// The result of one run. Human-readable details require a second run (Runner::run_once()).
struct ServedRun {
  Outcome outcome;  // without a signature
  int wait_status = 0;
  bool interrupted = false;
  bool spun = false;  // the watchdog ended it in a loop without armed sites
  format::SessionProgress progress{};
  Decisions decisions;  // with ServerOptions::record or collect_schedule
};

// A started program that waits before main, and forks a copy of itself for every run, so that a run costs no exec and
// no dynamic linking. A run may leave further copies in slots (checkpoints), from which later runs continue; slot 0 is
// main. All copies share the session and the two files that receive the output, so there is one run at a time. A run is
// judged as in judge(), so that it ends like a run of a process of its own; a driver is not possible. REQUIRES: the
// fiber engine, and an InterruptGuard with a longer lifetime.
class ForkServer {
 public:
  static Result<std::unique_ptr<ForkServer>> start(const binary::ProgramFile& program, const RunOptions& options,
                                                   const ServerOptions& server);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // One run with the strategy and the inputs of `inputs`, from the beginning of main or from a checkpoint. Fails if the
  // server process has ended.
  Result<ServedRun> run(const SessionInputs& inputs, std::uint32_t from_slot = 0,
                        std::span<const CheckpointRequest> checkpoints = {}, RingSink* sink = nullptr);

  // The step of the checkpoint in this slot; 0: the slot is empty.
  std::uint64_t checkpoint_step(std::uint32_t slot);
  void retire_checkpoint(std::uint32_t slot);

  const SessionMemory& memory() const { return memory_; }
  // REQUIRES: no run is in progress.
  void clear_graph() { memory_.clear_graph(); }
  const format::SessionResult& last_result() const { return memory_.session().result; }
  std::uint64_t base_step() const { return base_step_; }

 private:
  ForkServer(StartedProgram started, SessionMemory memory, const RunOptions& options);
  Status wait_until_ready();
  void save_output_sizes();
  void truncate_output();
  void reset_result();
  Result<ServedRun> follow(int pid, RingSink* sink);

  StartedProgram started_;
  SessionMemory memory_;
  RunOptions options_;
  std::vector<off_t> output_before_main_;  // bytes, of stdout and stderr
  std::uint64_t base_step_ = 0;
  std::uint32_t modules_before_ = 0;
};

}  // namespace heddle::run
