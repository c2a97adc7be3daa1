#include "report/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "report/findings/source_units_report.h"
#include "report/run_json.h"
#include "support/counted.h"
#include "support/duration.h"

namespace heddle::report {
namespace {

using format::OutcomeKind;

std::string thread_label(const std::string& thread, const std::string& name) {
  return name.empty() ? thread : fmt::format("{} ({})", thread, name);
}

std::string headline(const run::RunReport& report) {
  const run::Outcome& outcome = report.outcome;
  switch (outcome.kind) {
    case OutcomeKind::Ok:
      return "the program passed";
    case OutcomeKind::Assert:
      return "an assertion failed";
    case OutcomeKind::Abort:
      return "the program aborted";
    case OutcomeKind::Signal:
      return report.interrupted ? "the run was interrupted"
                                : "the program was terminated by " + run::signal_word(outcome.signal);
    case OutcomeKind::Exit:
      return fmt::format("the program exited with {}", outcome.exit_code);
    case OutcomeKind::Deadlock:
      return "deadlock";
    case OutcomeKind::LostWakeup:
      return "lost wake-up: all threads wait, and no thread is left to wake one";
    case OutcomeKind::Livelock:
      return "livelock: the run makes steps without ending";
    case OutcomeKind::Timeout:
      return "time-out: the run took longer than --timeout";
    case OutcomeKind::Misuse:
      return "the program misuses a synchronisation primitive";
    case OutcomeKind::UseAfterFree:
      return "the program uses freed memory";
    case OutcomeKind::Predicate:
      return "the run has failed";
    case OutcomeKind::Diverged:
      return "the run diverged from its schedule";
    case OutcomeKind::Uncontrolled:
      return "the program could not be controlled";
    case OutcomeKind::Running:
      return "the program was terminated from outside";
  }
  return "";
}

std::string frame_text(const binary::SourceFrame& frame) {
  const std::string function = frame.function.empty() ? "?" : frame.function;
  if (!frame.file.empty()) return fmt::format("{} at {}:{}", function, frame.file, frame.line);
  return frame.module.empty() ? function : fmt::format("{} in {}", function, frame.module);
}

std::string waiting_phrase(const run::ThreadState& thread) {
  static const std::map<std::string, std::string> phrases = {
      {"lock", "waits for lock #{}"},
      {"read_lock", "waits for readers' lock #{}"},
      {"wait", "waits for condition #{}"},
      {"join", "waits to join a thread"},
      {"sem_wait", "waits for semaphore #{}"},
      {"barrier_arrive", "waits at barrier #{}"},
      {"futex_wait", "waits for futex #{}"},
      {"external_wait", "waits for external input"},
      {"sleep", "sleeps"},
  };
  const auto phrase = phrases.find(thread.waits_for);
  if (phrase == phrases.end()) return fmt::format("waits ({} #{})", thread.waits_for, thread.object_number);
  return fmt::format(fmt::runtime(phrase->second), thread.object_number);
}

std::string state_text(const run::ThreadState& thread) {
  if (thread.waits_for.empty()) return "is runnable";
  const bool joins = thread.waits_for == format::event_word(format::EventKind::Join);
  if (joins && !thread.holder.empty()) return "waits to join thread " + thread.holder;
  return waiting_phrase(thread) + (thread.holder.empty() ? "" : ", which thread " + thread.holder + " holds");
}

void add_threads(std::string& text, const std::vector<run::ThreadState>& threads) {
  for (const run::ThreadState& thread : threads) {
    text += fmt::format("  thread {} {}", thread_label(thread.thread, thread.name), state_text(thread));
    text += "\n" + stack_text(thread.stack, "    ");
  }
}

// The threads in the cycle of a deadlock; without a cycle, all threads.
std::vector<run::ThreadState> threads_to_show(const run::RunReport& report) {
  std::vector<run::ThreadState> shown;
  if (report.outcome.kind == OutcomeKind::Deadlock) {
    for (const run::ThreadState* thread : run::find_cycle(report.threads_at_end)) shown.push_back(*thread);
  }
  if (shown.empty()) shown = report.threads_at_end;
  return shown;
}

}  // namespace

std::string stack_text(const std::vector<binary::SourceFrame>& stack, const std::string& indent) {
  const bool any_own = std::any_of(stack.begin(), stack.end(), run::is_own_code);
  std::string text;
  for (const binary::SourceFrame& frame : stack) {
    if (any_own && !run::is_own_code(frame)) continue;
    text += indent + frame_text(frame) + "\n";
  }
  return text;
}

std::string early_timeouts_text(const run::RunReport& report) {
  if (!report.outcome.failed()) return {};
  std::string text;
  for (const run::EarlyTimeout& early : report.early) {
    const binary::SourceFrame* frame = run::first_own_frame(early.stack);
    text += fmt::format("  the {} time-out{} of thread {} fired while another thread could run\n",
                        duration_text(std::chrono::nanoseconds(early.ns)),
                        frame != nullptr ? " at " + run::short_place(*frame) : "", early.thread);
  }
  if (report.early_timeouts.count > report.early.size() && !report.early.empty())
    text += fmt::format("  and {} more\n", report.early_timeouts.count - report.early.size());
  return text;
}

std::string run_text(const run::RunReport& report) {
  std::string text = headline(report);
  if (report.outcome.failed() && !report.thread.empty() && !report.stack.empty()) {
    text += ", in thread " + report.thread;
  }
  if (!report.outcome.message.empty()) text += ": " + report.outcome.message;
  text += "\n" + stack_text(report.stack, "  ");
  const bool about_waiting =
      report.outcome.kind == OutcomeKind::Deadlock || report.outcome.kind == OutcomeKind::LostWakeup;
  if (about_waiting) add_threads(text, threads_to_show(report));
  text += early_timeouts_text(report);
  if (report.divergence) text += "  " + divergence_text(*report.divergence) + "\n";
  for (const std::string& problem : report.problems) text += "note: " + problem + "\n";
  text += fmt::format("{}, {} ({}), {}, {:.3f} s, event hash {}\n", counted(report.events, "event"),
                      counted(report.switches, "switch"), counted(report.preemptions, "preemption"),
                      counted(report.threads, "thread"), report.seconds, hash_text(report.event_hash));
  return text;
}

std::string uninstrumented_text(const run::RunReport& report) {
  const std::vector<std::string> paths = uninstrumented_modules(report);
  if (paths.empty()) return {};
  std::string text = "not instrumented, so that their accesses to memory are not observed, only their synchronisation:";
  for (const std::string& path : paths) text += " " + path;
  return text + "\n";
}

std::string divergence_text(const run::DivergenceReport& divergence) {
  std::string text = fmt::format("diverged at step {}: {}", divergence.step, divergence.what);
  if (!divergence.expected.empty()) text += "; expected thread " + divergence.expected;
  if (!divergence.runnable.empty()) {
    text += ", runnable:";
    for (const std::string& thread : divergence.runnable) text += " " + thread;
  }
  return text;
}

std::string replay_text(const run::ReplayReport& report) {
  std::string text;
  switch (report.verdict) {
    case run::Verdict::Reproduced:
      text = fmt::format("reproduced in {} of {} runs", report.reproduced_runs, report.runs);
      break;
    case run::Verdict::Fixed:
      text = "fixed: every preemption of the clip was met and the program passed";
      break;
    case run::Verdict::NoVerdict:
      text = fmt::format("no verdict: {} of {} runs reproduced it", report.reproduced_runs, report.runs);
      break;
  }
  text += report.exact ? " (exactly: same build, every step checked)\n"
                       : fmt::format(" (by site: another build, {} of {} preemptions met)\n", report.preemptions_met,
                                     report.preemptions_total);
  text += run_text(report.last);
  if (!report.last.outcome.failed()) text += ndebug_text(report.units);
  return text;
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 ||
             std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (!text.empty()) text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace heddle::report
