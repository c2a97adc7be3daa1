#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/symbolizer.h"
#include "format/run_result.h"

namespace heddle::run {

// How a run ended. `signature` tells one bug from another: the kind and the program's own innermost lines. It is the
// same on both engines and in every directory.
struct Outcome {
  format::OutcomeKind kind = format::OutcomeKind::Ok;
  int exit_code = 0;
  int signal = 0;
  std::string signature;
  std::string message;  // assertion text, name of the primitive ...; may be empty

  bool failed() const { return kind != format::OutcomeKind::Ok; }
  // Not an outcome of the program: it could not be controlled to its end.
  bool uncontrolled() const {
    return kind == format::OutcomeKind::Diverged || kind == format::OutcomeKind::Uncontrolled;
  }
};

// One thread when a run failed.
struct ThreadState {
  std::uint32_t id = 0;
  std::string thread;     // descent name
  std::string name;       // pthread_setname_np; may be empty
  std::string waits_for;  // event word; empty: it could run
  std::uint32_t object_number = 0;
  std::uint32_t holder_id = 0xffffffffu;  // kNoThread's number: nobody
  std::string holder;                     // descent name; empty: nobody
  std::vector<binary::SourceFrame> stack;
};

const char* outcome_word(format::OutcomeKind kind);

// How a process ended, from what the runtime said and, where it said nothing, from the wait status. Leaves the
// signature empty.
Outcome classify(int wait_status, const format::SessionResult& result, bool timed_out, bool interrupted);

std::string make_signature(const Outcome& outcome, const std::vector<binary::SourceFrame>& stack,
                           const std::vector<ThreadState>& threads);

// The thread states that wait for each other in a circle, starting from the lowest id; empty: there is none.
std::vector<const ThreadState*> find_cycle(const std::vector<ThreadState>& threads);

// Code of the program and its own libraries, not of the system, its headers or the runtime.
bool is_own_code(const binary::SourceFrame& frame);
// Code of Heddle's own runtime, which stands between a failure and whoever tells of it.
bool is_of_runtime(const binary::SourceFrame& frame);
// "account.cpp:42"; the function's name where no line is known.
std::string short_place(const binary::SourceFrame& frame);
// nullptr: none is.
const binary::SourceFrame* first_own_frame(const std::vector<binary::SourceFrame>& stack);

std::string signal_word(int signal);  // "SIGSEGV"
// One that an instruction raises: the first frame of its stack is where it stands, not a return address.
bool is_fault(int signal);

}  // namespace heddle::run
