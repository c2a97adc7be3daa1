#pragma once
// A simulated program for tests: lists of operations on threads, locks and condition variables. SimulatedRun executes
// them by the rules of the runtime's scheduler, so that strategies can be tested without a runtime.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "format/run_inputs.h"
#include "schedule/fairness.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

struct Operation {
  format::EventKind kind;  // an access, Lock, Unlock, Wait, Signal, Yield, or Fork of the thread `object`
  std::uint32_t object = 0;
  SiteId site = kNoSite;
  bool added = false;  // inserted by a change of the program; not part of the order or the hash
  bool spins = false;  // a read or a yield that is repeated until its object has been written
  bool timed = false;  // a wait that its time-out ends, early or when no thread can run
};

// A thread that no operation forks exists from the start.
using Program = std::vector<std::vector<Operation>>;

// Each thread holds at most one lock at a time and releases it; main forks the other threads. Some runs end in a
// deadlock, because a signal may precede the wait.
inline Program random_program(Random& random, std::uint32_t threads, std::uint32_t operations) {
  using format::EventKind;
  Program program(threads);
  for (std::uint32_t t = 1; t < threads; ++t) program[0].push_back({EventKind::Fork, t});
  for (std::uint32_t t = 0; t < threads; ++t) {
    while (program[t].size() < operations) {
      const auto lock = static_cast<std::uint32_t>(random.below(2));
      switch (random.below(8)) {
        case 0:
          program[t].push_back({EventKind::Lock, lock});
          program[t].push_back({EventKind::Write, 7, SiteId{static_cast<std::uint32_t>(1 + random.below(4))}});
          program[t].push_back({EventKind::Unlock, lock});
          break;
        case 1:
          program[t].push_back({random.below(4) == 0 ? EventKind::Wait : EventKind::Signal, lock});
          break;
        case 2:
          program[t].push_back({EventKind::Yield});
          break;
        default:
          program[t].push_back({EventKind::Read, 7, SiteId{static_cast<std::uint32_t>(1 + random.below(4))}});
      }
    }
  }
  return program;
}

struct Execution {
  enum class End : std::uint8_t { Finished, Deadlock, Diverged };
  End end = End::Finished;
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;
  std::uint64_t state = 0;  // equal for orders that differ only in operations which do not conflict
  std::vector<std::pair<std::uint32_t, std::size_t>> order;  // thread and index of every operation that was not added
  std::vector<format::ReplayRun> runs;
  std::vector<std::uint32_t> choices;
  std::vector<format::SiteSwitch> switches;
  std::vector<std::uint64_t> site_names;
  std::uint32_t preemptions = 0;
  std::uint32_t early_timeouts = 0;
};

// The happens-before class of the operations so far: the sum, over all operations, of a hash of the operation and of
// the last operations that it conflicts with.
class SimulatedPast {
 public:
  std::uint64_t state() const { return state_; }

  void add(std::uint32_t thread, const Operation& at) {
    EventHash hash = EventHash::resume(threads_[thread]);
    hash.add(std::uint64_t{thread} << 40 | static_cast<std::uint64_t>(at.kind) << 32 | at.object);
    if (at.kind != format::EventKind::Yield && at.kind != format::EventKind::Fork) add_object(hash, at);
    finish(thread, hash);
    if (at.kind == format::EventKind::Fork) threads_[at.object] = hash.value();
  }

  // The thread has begun or has been woken, and has reached its next operation, where it can be preempted.
  void add_arrival(std::uint32_t thread) {
    EventHash hash = EventHash::resume(threads_[thread]);
    hash.add(static_cast<std::uint64_t>(format::EventKind::Begin));
    finish(thread, hash);
  }

  void add_woken(std::uint32_t thread, std::uint32_t woken) {
    EventHash hash = EventHash::resume(threads_[thread]);
    hash.add(woken);
    hash.add(threads_[woken]);
    finish(thread, hash);
    threads_[woken] = hash.value();
  }

  void add_timeout(std::uint32_t thread) {
    EventHash hash = EventHash::resume(threads_[thread]);
    hash.add(static_cast<std::uint64_t>(format::EventKind::Sleep));
    finish(thread, hash);
  }

 private:
  struct Object {
    std::uint64_t write = 0;
    std::uint64_t reads = 0;  // sum of the hashes of the reads since that write
  };

  void add_object(EventHash& hash, const Operation& at) {
    Object& object = objects_[{format::is_access(at.kind), at.object}];
    hash.add(object.write);
    if (format::is_access(at.kind) && !format::is_write_access(at.kind)) {
      object.reads += hash.value();
      return;
    }
    hash.add(object.reads);
    object = {hash.value(), 0};
  }

  void finish(std::uint32_t thread, const EventHash& hash) {
    threads_[thread] = hash.value();
    state_ += Random{hash.value()}.next();
  }

  std::uint64_t state_ = 0;
  std::map<std::uint32_t, std::uint64_t> threads_;
  std::map<std::pair<bool, std::uint32_t>, Object> objects_;
};

class SimulatedRun {
 public:
  static constexpr std::uint32_t kThreadsMax = 16;

  // Descents and ids number the threads differently.
  static std::uint32_t descent(std::uint32_t thread) { return kThreadsMax - 1 - thread; }
  static ThreadId thread_of(std::uint32_t descent) {
    const std::uint32_t thread = kThreadsMax - 1 - descent;
    return created_.contains(thread) ? ThreadId{thread} : kNoThread;
  }
  static std::uint64_t name_of(SiteId site) { return number(site) * 0x9e3779b97f4a7c15u; }

  // `exact`: a yield is a point like any other, as in an exact replay.
  // `fair_points`: a thread must yield after keeping the turn for this number of points; 0: never.
  SimulatedRun(const Program& program, Strategy& strategy, bool exact = false, std::uint64_t fair_points = 0)
      : program_(program), strategy_(strategy), exact_(exact), fair_points_(fair_points), threads_(program.size()) {
    created_.clear();
    for (std::uint32_t t = 0; t < program.size(); ++t) created_.insert(t);
    for (const auto& thread : program) {
      for (const Operation& at : thread) {
        if (at.kind == format::EventKind::Fork) created_.erase(at.object);
      }
    }
  }

  Execution run() {
    threads_[current_].turns.ran = turns_;
    next_choice_ = strategy_.points_until_choice();
    while (going_) step();
    end_run(current_, false, operation(current_));
    result_.switches.resize(result_.switches.empty() ? 0 : result_.switches.size() - 1);
    result_.steps = steps_;
    result_.hash = hash_.value();
    result_.state = past_.state();
    return std::move(result_);
  }

 private:
  enum class Status : std::uint8_t { Runnable, AtLock, Waiting };
  struct Thread {
    std::size_t next = 0;
    std::size_t originals = 0;
    bool announced = false;
    bool arrived = false;
    Status status = Status::Runnable;
    Turns turns;
    std::map<std::uint64_t, std::uint32_t> occurrences;
  };

  bool can_run(std::uint32_t t) const { return threads_[t].status == Status::Runnable && !ended(t); }
  bool ended(std::uint32_t t) const { return threads_[t].next == program_[t].size(); }
  const Operation& operation(std::uint32_t t) const {
    static constexpr Operation kExit{format::EventKind::Exit};
    return ended(t) ? kExit : program_[t][threads_[t].next];
  }
  std::uint32_t& occurrence(std::uint32_t t) {
    const Operation& at = operation(t);
    return threads_[t].occurrences[at.site == kNoSite ? static_cast<std::uint64_t>(at.kind) : name_of(at.site)];
  }

  void step() {
    if (ended(current_)) return choose(false, false);
    Thread& self = threads_[current_];
    const Operation& at = operation(current_);
    if (!self.announced) {
      self.announced = true;
      if (!self.arrived) past_.add_arrival(current_);
      self.arrived = true;
      ++steps_;
      ++occurrence(current_);
      // Added operations are not hashed, so that a changed program with the same behaviour has the same hash.
      if (!at.added) hash_.add(std::uint64_t{current_} << 40 | static_cast<std::uint64_t>(at.kind) << 32 | at.object);
      if (at.kind == format::EventKind::Yield) past_.add(current_, at);
      if (at.kind == format::EventKind::Yield && !exact_) return choose(true, true);
      if (fair_points_ != 0 && steps_ >= turn_began_ + fair_points_) return choose(true, true);
      if (steps_ >= next_choice_) return choose(true, false);
    }
    perform(at);
  }

  void perform(const Operation& at) {
    Thread& self = threads_[current_];
    switch (at.kind) {
      case format::EventKind::Lock:
        if (locked_.contains(at.object)) {
          self.status = Status::AtLock;
          return choose(false, false);
        }
        locked_.insert(at.object);
        break;
      case format::EventKind::Unlock:
        locked_.erase(at.object);
        for (std::uint32_t t = 0; t < threads_.size(); ++t) {
          if (threads_[t].status == Status::AtLock && operation(t).object == at.object) {
            threads_[t].status = Status::Runnable;
          }
        }
        break;
      case format::EventKind::Wait:
        waiting_[at.object].push_back(current_);
        self.status = Status::Waiting;
        self.arrived = false;
        complete(at);
        return choose(false, false);
      case format::EventKind::Signal:
        if (!wake(waiting_[at.object])) return;
        break;
      case format::EventKind::Fork:
        created_.insert(at.object);
        break;
      default:
        if (format::is_write_access(at.kind)) written_.insert(at.object);
        if (at.spins && !written_.contains(at.object)) {
          past_.add(current_, at);
          self.announced = false;
          return;
        }
        break;
    }
    complete(at);
  }

  void complete(const Operation& at) {
    Thread& self = threads_[current_];
    if (at.kind != format::EventKind::Yield) past_.add(current_, at);
    if (!at.added) result_.order.emplace_back(current_, self.originals++);
    ++self.next;
    self.announced = false;
  }

  bool wake(std::vector<std::uint32_t>& waiting) {
    if (waiting.empty()) return true;
    std::uint32_t woken = waiting.front();
    if (waiting.size() > 1) {
      std::vector<Pending> offered;
      for (const std::uint32_t t : waiting) offered.push_back({ThreadId{t}, format::EventKind::Wait, kNoSite, 0});
      const auto chosen = strategy_.choose(situation(Question::Wake, true, false), offered);
      if (!chosen) return stop(Execution::End::Diverged), false;
      woken = number(*chosen);
      result_.choices.push_back(descent(woken));
    }
    std::erase(waiting, woken);
    past_.add_woken(current_, woken);
    threads_[woken].status = Status::Runnable;
    return true;
  }

  Situation situation(Question question, bool current_runnable, bool must_yield) const {
    return {question,
            ThreadId{current_},
            current_runnable,
            must_yield,
            steps_,
            static_cast<std::uint32_t>(hash_.value()),
            past_.state() + fairness()};
  }

  std::uint64_t fairness() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t t : created_) {
      for (const std::uint32_t u : created_) {
        if (t != u && !ended(t) && !ended(u)) sum += fairness_word(t, threads_[t].turns, u, threads_[u].turns);
      }
    }
    return sum;
  }

  // A thread that has not reached its next operation is pending with its Begin or with the wait that it returns from.
  Pending pending(std::uint32_t t, Offer offer) const {
    const ThreadId id{t};
    if (!threads_[t].arrived && threads_[t].next == 0) return {id, format::EventKind::Begin, kNoSite, 0, offer};
    if (!threads_[t].arrived) return {id, format::EventKind::Wait, kNoSite, wait_of(t).object, offer};
    return {id, operation(t).kind, operation(t).site, operation(t).object, offer};
  }

  // The index of a waiting thread is already one past its wait.
  const Operation& wait_of(std::uint32_t t) const { return program_[t][threads_[t].next - 1]; }
  bool in_timed_wait(std::uint32_t t) const { return threads_[t].status == Status::Waiting && wait_of(t).timed; }

  // Empty if no thread can run.
  std::vector<Pending> offer_threads() const {
    std::vector<Pending> offered;
    std::uint64_t oldest = ~std::uint64_t{0};
    for (const std::uint32_t t : created_) {
      if (can_run(t)) oldest = std::min(oldest, threads_[t].turns.ran);
    }
    if (oldest == ~std::uint64_t{0}) return offered;
    for (const std::uint32_t t : created_) {
      if (can_run(t) && may_run(threads_[t].turns, oldest)) offered.push_back(pending(t, Offer::Ready));
      if (in_timed_wait(t) && may_time_out_early(threads_[t].turns, oldest)) {
        offered.push_back(pending(t, Offer::Early));
      }
    }
    return offered;
  }

  void time_out(std::uint32_t t) {
    std::erase(waiting_[wait_of(t).object], t);
    past_.add_timeout(t);
    threads_[t].status = Status::Runnable;
  }

  // Threads with lower ids have shorter time-outs. False: no thread is in a timed wait.
  bool let_time_pass() {
    const auto first = std::ranges::find_if(created_, [this](std::uint32_t t) { return in_timed_wait(t); });
    if (first == created_.end()) return false;
    time_out(*first);
    return true;
  }

  void choose(bool current_runnable, bool must_yield) {
    const Operation& stopped_at = blocked_in();
    if (must_yield) threads_[current_].turns.yielded = threads_[current_].turns.ran;
    std::vector<Pending> offered = offer_threads();
    while (offered.empty()) {
      if (!let_time_pass()) return stop(all_ended() ? Execution::End::Finished : Execution::End::Deadlock);
      offered = offer_threads();
    }
    const auto is_ready = [](const Pending& one) { return one.offer == Offer::Ready; };
    const bool keeps = current_runnable && std::ranges::any_of(offered, [&](const Pending& one) {
                         return one.thread == ThreadId{current_} && is_ready(one);
                       });
    Situation asked = situation(Question::Run, keeps, must_yield);
    asked.all_ready = std::ranges::all_of(offered, is_ready);
    const auto [chosen, points] = strategy_.decide(asked, offered);
    if (!chosen) return stop(Execution::End::Diverged);
    next_choice_ = steps_ + points;
    if (next_choice_ < steps_) next_choice_ = ~std::uint64_t{0};
    if (number(*chosen) != current_ || must_yield) turn_began_ = steps_;
    begin_turn(number(*chosen), current_runnable, stopped_at);
  }

  void begin_turn(std::uint32_t next, bool current_runnable, const Operation& stopped_at) {
    Thread& thread = threads_[next];
    const bool other = next != current_;
    thread.turns.yielded = 0;
    if (thread.status == Status::Waiting) {
      thread.turns.timed_out = turns_ + other;
      time_out(next);
      ++result_.early_timeouts;
    }
    if (other) thread.turns.ran = ++turns_;
    if (other || !current_runnable) end_run(next, current_runnable, stopped_at);
    current_ = next;
  }

  void end_run(std::uint32_t next, bool preemption, const Operation& at) {
    result_.runs.push_back({descent(current_), static_cast<std::uint32_t>(steps_ - run_begin_),
                            static_cast<std::uint32_t>(hash_.value()), preemption ? 0u : 1u});
    format::SiteSwitch change{descent(current_), descent(next), at.kind, preemption, 0, 0, 0, 0};
    const std::uint64_t place = at.site == kNoSite ? static_cast<std::uint64_t>(at.kind) : name_of(at.site);
    change.occurrence = threads_[current_].occurrences[place];
    change.names_begin = static_cast<std::uint32_t>(result_.site_names.size());
    if (at.site != kNoSite) {
      result_.site_names.push_back(name_of(at.site));
      change.names_count = 1;
    }
    result_.switches.push_back(change);
    result_.preemptions += preemption;
    run_begin_ = steps_;
  }

  const Operation& blocked_in() const {
    return threads_[current_].status == Status::Waiting ? wait_of(current_) : operation(current_);
  }

  bool all_ended() const {
    for (const std::uint32_t t : created_) {
      if (!ended(t) || threads_[t].status != Status::Runnable) return false;
    }
    return true;
  }

  void stop(Execution::End end) {
    result_.end = end;
    going_ = false;
  }

  static inline std::set<std::uint32_t> created_;

  const Program& program_;
  Strategy& strategy_;
  bool exact_;
  std::uint64_t fair_points_;
  std::vector<Thread> threads_;
  std::set<std::uint32_t> locked_;
  std::set<std::uint32_t> written_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> waiting_;
  std::uint32_t current_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t run_begin_ = 0;
  std::uint64_t next_choice_ = 0;
  std::uint64_t turn_began_ = 0;
  std::uint64_t turns_ = 1;
  bool going_ = true;
  EventHash hash_;
  SimulatedPast past_;
  Execution result_;
};

}  // namespace heddle::schedule
