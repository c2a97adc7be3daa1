#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/symbolizer.h"
#include "format/run_result.h"

namespace heddle::run {

// How a run ended. `signature` identifies the bug: the kind and the innermost lines of the program's own code. It does
// not depend on the engine or on the directory of the program.
struct Outcome {
  format::OutcomeKind kind = format::OutcomeKind::Ok;
  int exit_code = 0;
  int signal = 0;
  std::string signature;
  std::string message;  // assertion text, name of the primitive ...; may be empty

  bool failed() const { return kind != format::OutcomeKind::Ok; }
  // True if Heddle lost control of the run, so that this is not an outcome of the program.
  bool uncontrolled() const {
    return kind == format::OutcomeKind::Diverged || kind == format::OutcomeKind::Uncontrolled;
  }
};

// One thread at the end of a failing run.
struct ThreadState {
  std::uint32_t id = 0;
  std::string thread;     // descent name
  std::string name;       // pthread_setname_np; may be empty
  std::string waits_for;  // event word; empty: runnable
  std::uint32_t object_number = 0;
  std::uint32_t holder_id = 0xffffffffu;  // kNoThread: not held
  std::string holder;                     // descent name; empty: not held
  std::vector<binary::SourceFrame> stack;
};

const char* outcome_word(format::OutcomeKind kind);

// The outcome of a process: from the runtime's report, or from the wait status if it reported nothing or the process
// ended in another way afterwards. Leaves the signature empty.
Outcome classify(int wait_status, const format::SessionResult& result, bool timed_out, bool interrupted);

std::string make_signature(const Outcome& outcome, const std::vector<binary::SourceFrame>& stack,
                           const std::vector<ThreadState>& threads);

// The threads of the first cycle of waiting threads, starting from the lowest id; empty: no cycle.
std::vector<const ThreadState*> find_cycle(const std::vector<ThreadState>& threads);

// True for code of the program and its own libraries; false for the system, its headers and the runtime.
bool is_own_code(const binary::SourceFrame& frame);
// True for code of Heddle's runtime, which is on the stack of many failures.
bool is_of_runtime(const binary::SourceFrame& frame);
// "account.cpp:42"; the name of the function if the line is unknown.
std::string short_place(const binary::SourceFrame& frame);
// The innermost frame of own code, with a line if there is one; nullptr: none.
const binary::SourceFrame* first_own_frame(const std::vector<binary::SourceFrame>& stack);

std::string signal_word(int signal);  // "SIGSEGV"
// True for signals that an instruction raises: the first frame is then its address, not a return address.
bool is_fault(int signal);

}  // namespace heddle::run
