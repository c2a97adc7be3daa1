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

// What a fork server is started with, besides the options of its runs.
struct ServerOptions {
  std::uint32_t hosts = 0;        // threads that a run is expected to make
  std::uint64_t log_words = 0;    // for systematic searches
  std::uint64_t pairs_slots = 0;  // for coverage
  format::GraphConfig graph{};    // for communication graphs; read it from memory() after a run
  bool record = false;            // the events of the runs
  bool collect_schedule = false;  // what makes clips
  bool observe = false;           // keep the state of the happens-before class
  int processor = -1;             // that it is bound to; -1: wherever it is
};

// Where a run is to leave a copy of itself behind.
struct CheckpointRequest {
  std::uint64_t step = 0;
  std::uint32_t slot = 0;
};

// How one run of the server ended. What a person wants to know of it besides is found out by running it once more.
struct ServedRun {
  Outcome outcome;  // without a signature
  int wait_status = 0;
  bool interrupted = false;
  bool spun = false;  // ended by the watchdog, in a loop that comes to no armed site
  format::SessionProgress progress{};
  Decisions decisions;  // with ServerOptions::record or collect_schedule
};

// A program that was started once and stands before main; every run is a copy of it. REQUIRES: the fiber engine, an
// InterruptGuard that lives as long as this.
class ForkServer {
 public:
  static Result<std::unique_ptr<ForkServer>> start(const binary::ProgramFile& program, const RunOptions& options,
                                                   const ServerOptions& server);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // One run with the strategy and the inputs of `inputs`, from the beginning of main or from a checkpoint. Fails when
  // the server itself is gone.
  Result<ServedRun> run(const SessionInputs& inputs, std::uint32_t from_slot = 0,
                        std::span<const CheckpointRequest> checkpoints = {}, RingSink* sink = nullptr);

  // Checkpoints that the last runs left behind. The step at which one stands; 0: there is none in this slot.
  std::uint64_t checkpoint_step(std::uint32_t slot);
  void retire_checkpoint(std::uint32_t slot);

  const SessionMemory& memory() const { return memory_; }
  // REQUIRES: no run is under way.
  void clear_graph() { memory_.clear_graph(); }
  const format::SessionResult& last_result() const { return memory_.session().result; }
  std::uint64_t base_step() const { return base_step_; }

 private:
  ForkServer(StartedProgram started, SessionMemory memory, const RunOptions& options);
  Status wait_until_ready();
  void measure_output();
  void forget_output();
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
