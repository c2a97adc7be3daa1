#pragma once
// A program of straight-line threads, given by the events of one failing run: it makes the same events in any order
// that its locks, sleeps, forks and joins permit, and a test says in which orders it fails.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/trials/pattern.h"
#include "explain/trials/trial_oracle.h"
#include "trace/text/trace_for_tests.h"

namespace heddle::explain {

class TraceOracle final : public TrialOracle {
 public:
  // One execution: events by their place in the trace.
  struct Sequence {
    std::vector<std::size_t> made;
    std::vector<ThreadId> waiting;  // at the end

    bool has(std::size_t event) const { return std::find(made.begin(), made.end(), event) != made.end(); }
    bool before(std::size_t a, std::size_t b) const {
      return has(a) && has(b) && std::find(made.begin(), made.end(), a) < std::find(made.begin(), made.end(), b);
    }
  };
  using Fails = std::function<bool(const Sequence&)>;

  // Lines as of trace::text_trace(), in the order of the failing run, without switches.
  TraceOracle(const std::vector<std::string>& lines, format::OutcomeKind outcome, Fails fails)
      : trace_(trace::text_trace(lines)), outcome_(outcome), fails_(std::move(fails)) {
    experiment::Turns order;
    std::map<ThreadId, std::uint64_t> done;
    for (const trace::Event& event : trace_.events) {
      done[event.thread] += is_point(event);
      if (order.empty() || ThreadId{order.back().thread} != event.thread) order.emplace_back();
      order.back() = experiment::turn_until(event.thread, done[event.thread]);
    }
    failing_ = observe(execute(order).recording);
  }

  const ObservedPtr& failing() const { return failing_; }
  std::size_t attempts() const { return attempts_; }

  Result<Attempt> attempt(const experiment::Turns& order, std::size_t turns_needed) override {
    ++attempts_;
    const Execution execution = execute(order);
    return Attempt{execution.recording.report.outcome.failed() ? Ending::Fails : Ending::Passes,
                   execution.turns_followed >= turns_needed};
  }
  Result<Recording> record(const experiment::Turns& order) override { return execute(order).recording; }
  std::vector<binary::SourceFrame> stack_before(const experiment::Turns&, ThreadId, std::uint64_t) override {
    return {};
  }
  Result<binary::CoreImage> freeze(const experiment::Turns&, std::uint64_t) override {
    return Error{"a trace has no memory"};
  }
  const binary::ProgramFile& program() const override { return program_; }
  ThreadNumbers& threads() override { return threads_; }
  bool time_is_up() const override { return false; }

 private:
  using Kind = format::EventKind;
  struct Thread {
    std::vector<std::size_t> events;  // of the trace
    std::size_t next = 0;
    std::uint64_t done = 0, reported = 0;  // points
    bool begun = true, sleeps = false;
  };
  struct Execution {
    std::map<ThreadId, Thread> threads;
    std::map<std::uint64_t, ThreadId> holders;  // of locks
    std::optional<ThreadId> current;
    Sequence run;
    Recording recording;
    std::size_t turns_followed = 0;
  };

  const trace::Event& next_of(const Thread& thread) const { return trace_.events[thread.events[thread.next]]; }
  static bool has_ended(const Thread& thread) { return thread.next == thread.events.size(); }

  bool can_run(const Execution& execution, const Thread& thread) const {
    if (has_ended(thread) || thread.sleeps || !thread.begun) return false;
    const trace::Event& event = next_of(thread);
    if (event.kind == Kind::Lock) return !execution.holders.contains(event.object);
    return event.kind != Kind::Join ||
           has_ended(execution.threads.at(ThreadId{static_cast<std::uint32_t>(event.object)}));
  }

  // What the runtime records when another thread gets the turn.
  void change_turn(Execution& execution, ThreadId to) const {
    Thread& from = execution.threads.at(*execution.current);
    const bool stands_before_point = !has_ended(from) && !from.sleeps && is_point(next_of(from));
    const std::uint64_t arrived = from.done + stands_before_point;
    trace::Event event;
    event.kind = Kind::Switch;
    event.thread = *execution.current;
    event.object = number(to);
    event.site = static_cast<std::uint32_t>(arrived - from.reported);
    if (can_run(execution, from)) event.flags = format::kPreemption;
    if (stands_before_point)
      event.value = std::uint64_t{static_cast<std::uint8_t>(next_of(from).kind)} << 32 | next_of(from).site;
    from.reported = arrived;
    execution.recording.events.push_back(event);
  }

  void make_next(Execution& execution, ThreadId id) const {
    if (execution.current && *execution.current != id) change_turn(execution, id);
    execution.current = id;
    Thread& thread = execution.threads.at(id);
    const trace::Event& event = next_of(thread);
    execution.run.made.push_back(thread.events[thread.next]);
    execution.recording.events.push_back(event);
    ++thread.next;
    thread.done += is_point(event);
    if (event.kind == Kind::Lock) execution.holders[event.object] = id;
    if (event.kind == Kind::Unlock) execution.holders.erase(event.object);
    if (event.kind == Kind::Wait) thread.sleeps = true;
    if (event.kind == Kind::Signal || event.kind == Kind::Broadcast) {
      for (auto& [other, sleeper] : execution.threads) {
        if (!sleeper.sleeps || trace_.events[sleeper.events[sleeper.next - 1]].object != event.object) continue;
        sleeper.sleeps = false;
        if (event.kind == Kind::Signal) break;
      }
    }
    if (event.kind == Kind::Fork) execution.threads.at(ThreadId{static_cast<std::uint32_t>(event.object)}).begun = true;
  }

  Execution execute(const experiment::Turns& order) {
    Execution execution;
    for (std::size_t i = 0; i < trace_.events.size(); ++i)
      execution.threads[trace_.events[i].thread].events.push_back(i);
    for (const trace::Event& event : trace_.events)
      if (event.kind == Kind::Fork)
        execution.threads.at(ThreadId{static_cast<std::uint32_t>(event.object)}).begun = false;
    bool followed = true;
    for (const experiment::Turn& turn : order) {
      const ThreadId id{turn.thread};
      const std::uint64_t until = experiment::points_done(turn);
      Thread& thread = execution.threads[id];
      while (can_run(execution, thread) && (thread.done < until || !is_point(next_of(thread))))
        make_next(execution, id);
      followed = followed && thread.done >= until;
      execution.turns_followed += followed;
    }
    // Then each thread continues until it blocks, the current one first.
    for (bool any = true; any;) {
      any = false;
      if (execution.current)
        while (can_run(execution, execution.threads.at(*execution.current))) make_next(execution, *execution.current);
      for (auto& [id, thread] : execution.threads) {
        if (!can_run(execution, thread)) continue;
        make_next(execution, id);
        any = true;
        break;
      }
    }
    finish(execution);
    return execution;
  }

  void finish(Execution& execution) {
    Recording& recording = execution.recording;
    recording.tables = trace_.tables;
    complete_recording(recording, threads_);
    for (const auto& [id, thread] : execution.threads) {
      if (!thread.sleeps) continue;
      execution.run.waiting.push_back(id);
      const trace::Event& wait = trace_.events[thread.events[thread.next - 1]];
      run::ThreadState& state = recording.report.threads_at_end.emplace_back();
      state.id = number(id);
      state.thread = threads_.names()[number(id)];
      state.waits_for = format::event_word(wait.kind);
      state.stack = {{"f", "f", "a.cpp", wait.site, 1, 1, "program", false}};
      recording.awaited[state.thread] = wait.object;
    }
    recording.report.outcome.kind = fails_(execution.run) ? outcome_ : format::OutcomeKind::Ok;
  }

  trace::Trace trace_;
  format::OutcomeKind outcome_;
  Fails fails_;
  ThreadNumbers threads_;
  binary::ProgramFile program_;
  ObservedPtr failing_;
  std::size_t attempts_ = 0;
};

// A check and an act, each in a critical section of one thread; the program fails if another thread writes in between.
inline TraceOracle split_critical_sections() {
  return TraceOracle(
      {
          "t1 lock 0x10 site=1 point",
          "t1 read 0x1000 size=4 site=2",
          "t1 unlock 0x10 site=3 point",
          "t2 lock 0x10 site=4 point",
          "t2 write 0x1000 size=4 site=5",
          "t2 unlock 0x10 site=6 point",
          "t1 lock 0x10 site=7 point",
          "t1 write 0x1000 size=4 site=8",
          "t1 unlock 0x10 site=9 point",
      },
      format::OutcomeKind::Assert,
      [](const TraceOracle::Sequence& run) { return run.before(1, 4) && run.before(4, 7); });
}

}  // namespace heddle::explain
