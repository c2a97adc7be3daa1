#include "run/verdict/outcome.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

namespace heddle::run {
namespace {

using format::EventKind;
using format::OutcomeKind;

constexpr std::size_t kSignatureFramesMax = 2;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

constexpr std::string_view kRuntime = "/libheddle_rt.so";

bool is_system_module(std::string_view path) {
  return starts_with_any(path, {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/"}) ||
         path.find(kRuntime) != std::string_view::npos || path.starts_with("linux-vdso") || path == "[vdso]";
}

bool is_of_sanitizer(std::string_view linkage_name) {
  return starts_with_any(linkage_name,
                         {"__asan_", "__ubsan_", "__lsan_", "__sanitizer_", "__interceptor_", "___interceptor_",
                          "_ZN6__asan", "_ZNK6__asan", "_ZN7__ubsan", "_ZNK7__ubsan", "_ZN6__lsan", "_ZN11__sanitizer",
                          "_ZNK11__sanitizer", "_ZL17asan_thread_start", "_Znw", "_Zna", "_Zdl", "_Zda"});
}

std::string bounded_text(const char* text, std::size_t size_max) { return {text, ::strnlen(text, size_max)}; }

// The lines at which threads wait, each once and sorted, so that order and number of the threads do not matter.
template <typename States>
std::string waiting_places(const States& states) {
  std::set<std::string> places;
  for (const ThreadState* state : states) {
    if (const binary::SourceFrame* frame = first_own_frame(state->stack)) places.insert(short_place(*frame));
  }
  std::string text;
  for (const std::string& place : places) text += " " + place;
  return text;
}

std::vector<const ThreadState*> waiting(const std::vector<ThreadState>& threads, bool with_joins) {
  std::vector<const ThreadState*> result;
  for (const ThreadState& thread : threads) {
    if (thread.waits_for.empty()) continue;
    if (!with_joins && thread.waits_for == format::event_word(EventKind::Join)) continue;
    result.push_back(&thread);
  }
  return result;
}

std::string top_places(const std::vector<binary::SourceFrame>& stack) {
  std::string text;
  std::size_t count = 0;
  for (const binary::SourceFrame& frame : stack) {
    if (!is_own_code(frame)) continue;
    text += " " + short_place(frame);
    if (++count == kSignatureFramesMax) break;
  }
  return text;
}

}  // namespace

const char* outcome_word(OutcomeKind kind) {
  constexpr const char* kWords[] = {"running",   "ok",          "assert",      "abort",   "signal", "exit",
                                    "deadlock",  "lost_wakeup", "livelock",    "timeout", "misuse", "use_after_free",
                                    "predicate", "diverged",    "uncontrolled"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(OutcomeKind::Uncontrolled) + 1);
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kWords) ? kWords[index] : "unknown";
}

Outcome classify(int wait_status, const format::SessionResult& result, bool timed_out, bool interrupted) {
  Outcome outcome;
  if (timed_out || interrupted) {
    outcome.kind = timed_out ? OutcomeKind::Timeout : OutcomeKind::Signal;
    outcome.signal = timed_out ? 0 : SIGINT;
    outcome.message = timed_out ? "the run took longer than --timeout allows" : "interrupted";
    return outcome;
  }
  outcome.message = bounded_text(result.message, sizeof result.message);
  outcome.kind = result.outcome;
  // What the runtime said at the end of main is overtaken by what a destructor or an exit handler did afterwards.
  const bool says_nothing = outcome.kind == OutcomeKind::Running || outcome.kind == OutcomeKind::Ok;
  if (says_nothing && WIFSIGNALED(wait_status)) {
    outcome.kind = WTERMSIG(wait_status) == SIGABRT ? OutcomeKind::Abort : OutcomeKind::Signal;
  } else if (says_nothing) {
    outcome.kind = WEXITSTATUS(wait_status) == 0 ? OutcomeKind::Ok : OutcomeKind::Exit;
  }
  if (outcome.kind == OutcomeKind::Exit) outcome.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status))
    outcome.signal = WTERMSIG(wait_status);
  else if (outcome.kind == OutcomeKind::Signal)
    outcome.signal = result.signal;
  return outcome;
}

std::string make_signature(const Outcome& outcome, const std::vector<binary::SourceFrame>& stack,
                           const std::vector<ThreadState>& threads) {
  const std::string word = outcome_word(outcome.kind);
  switch (outcome.kind) {
    case OutcomeKind::Exit:
      return word + " " + std::to_string(outcome.exit_code);
    case OutcomeKind::Signal:
      return word + " " + signal_word(outcome.signal) + top_places(stack);
    case OutcomeKind::Assert:
    case OutcomeKind::Abort:
    case OutcomeKind::Misuse:
    case OutcomeKind::UseAfterFree:
      return word + top_places(stack);
    case OutcomeKind::Deadlock: {
      const std::vector<const ThreadState*> cycle = find_cycle(threads);
      return word + waiting_places(cycle.empty() ? waiting(threads, false) : cycle);
    }
    case OutcomeKind::LostWakeup: {
      const std::string places = waiting_places(waiting(threads, false));
      return word + (places.empty() ? waiting_places(waiting(threads, true)) : places);
    }
    default:
      // The line at which time or steps ran out is random.
      return word;
  }
}

std::vector<const ThreadState*> find_cycle(const std::vector<ThreadState>& threads) {
  std::map<std::uint32_t, const ThreadState*> by_id;
  for (const ThreadState& thread : threads) by_id[thread.id] = &thread;
  for (const auto& [id, start] : by_id) {
    std::vector<const ThreadState*> path;
    std::set<std::uint32_t> seen;
    const ThreadState* at = start;
    while (at != nullptr && seen.insert(at->id).second) {
      path.push_back(at);
      const auto next = by_id.find(at->holder_id);
      at = next == by_id.end() || at->waits_for.empty() ? nullptr : next->second;
    }
    if (at == start) return path;
  }
  return {};
}

bool is_of_runtime(const binary::SourceFrame& frame) { return frame.module.find(kRuntime) != std::string::npos; }

bool is_own_code(const binary::SourceFrame& frame) {
  if (frame.module.empty() || is_system_module(frame.module)) return false;
  if (frame.file.empty()) {
    // The start files of libc and the runtimes of sanitizers are linked into the program, without line information.
    return !frame.linkage_name.empty() && frame.linkage_name != "_start" && !is_of_sanitizer(frame.linkage_name);
  }
  return !binary::is_system_header(frame.file);
}

std::string short_place(const binary::SourceFrame& frame) {
  if (frame.file.empty()) return frame.linkage_name;
  return frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line);
}

const binary::SourceFrame* first_own_frame(const std::vector<binary::SourceFrame>& stack) {
  const binary::SourceFrame* first = nullptr;
  for (const binary::SourceFrame& frame : stack) {
    if (!is_own_code(frame)) continue;
    // The optimiser gives merged code line 0; the line of the caller is more useful.
    if (frame.line != 0) return &frame;
    if (first == nullptr) first = &frame;
  }
  return first;
}

bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP;
}

std::string signal_word(int signal) {
  const char* word = ::sigabbrev_np(signal);
  return word != nullptr ? std::string("SIG") + word : "signal " + std::to_string(signal);
}

}  // namespace heddle::run
