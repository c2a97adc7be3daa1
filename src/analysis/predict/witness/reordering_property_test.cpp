// Small random traces, of which all correct reorderings can be enumerated: the search must find a schedule exactly if
// one exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "predict/trace_for_tests.h"

namespace heddle::predict {
namespace {

using format::EventKind;
using trace::Event;
using trace::Trace;

constexpr std::uint64_t kVariables = 0x1000, kLocks = 0x2000;

// Main forks the other threads, which take random actions, and joins them. Locks need not be nested; one is a
// reader-writer lock.
class RandomTrace {
 public:
  RandomTrace(unsigned seed, unsigned threads, unsigned steps) : random_(seed) {
    for (unsigned thread = 1; thread <= threads; ++thread) add(0, EventKind::Fork, thread);
    for (unsigned step = 0; step < steps; ++step) act(1 + below(threads));
    for (unsigned thread = 1; thread <= threads; ++thread) {
      while (!held_[thread].empty()) release(thread, 0);
      add(0, EventKind::Join, thread);
    }
  }
  Trace trace;

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void add(unsigned thread, EventKind kind, std::uint64_t object) {
    Event event;
    event.step = trace.events.size();
    event.thread = ThreadId{thread};
    event.kind = kind;
    event.object = object;
    event.site = static_cast<std::uint32_t>(event.step + 1);
    if (format::is_access(kind)) event.size = 8;
    trace.events.push_back(event);
  }

  void act(unsigned thread) {
    const unsigned what = below(10);
    if (what < 3) return acquire(thread);
    if (what < 5 && !held_[thread].empty()) return release(thread, below(static_cast<unsigned>(held_[thread].size())));
    add(thread, below(2) == 0 ? EventKind::Read : EventKind::Write, kVariables + 8 * below(3));
  }

  void acquire(unsigned thread) {
    const std::uint64_t lock = kLocks + 8 * below(3);
    const bool shared = lock == kLocks && below(2) == 0;
    for (const auto& [other, locks] : held_) {
      for (const auto& [held, held_shared] : locks) {
        if (held == lock && (other == thread || !(shared && held_shared))) return;
      }
    }
    held_[thread].emplace_back(lock, shared);
    add(thread, shared ? EventKind::ReadLock : EventKind::Lock, lock);
  }

  void release(unsigned thread, unsigned which) {
    const auto [lock, shared] = held_[thread][which];
    held_[thread].erase(held_[thread].begin() + which);
    add(thread, shared ? EventKind::ReadUnlock : EventKind::Unlock, lock);
  }

  std::mt19937 random_;
  std::map<unsigned, std::vector<std::pair<std::uint64_t, bool>>> held_;
};

// Tries all correct reorderings of a trace: each thread executes its events in order, and every read after which its
// thread continues sees the same write as in the trace.
class Oracle {
 public:
  explicit Oracle(const Trace& trace) : trace_(trace) {
    std::map<std::uint64_t, int> last;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      threads_[number(event.thread)].push_back(static_cast<int>(i));
      reads_from_.push_back(-1);
      if (event.kind == EventKind::Read && last.contains(event.object)) reads_from_.back() = last[event.object];
      if (event.kind == EventKind::Write) last[event.object] = static_cast<int>(i);
    }
  }

  // True if both events can be next at the same time.
  bool can_meet(int a, int b) {
    together_ = true;
    targets_ = {a, b};
    return search();
  }
  // In this order; a target after which its thread stops may read any value.
  bool can_follow(const std::vector<int>& order) {
    together_ = false;
    targets_ = order;
    return search();
  }

 private:
  struct State {
    std::map<unsigned, std::size_t> next;
    std::map<std::uint64_t, int> last_write;
    std::map<std::uint64_t, int> exclusive, shared;  // holders
    std::set<unsigned> stopped;
    std::size_t reached = 0;  // targets that have happened
    // The positions of all threads determine which locks they hold.
    using Key =
        std::tuple<std::map<unsigned, std::size_t>, std::map<std::uint64_t, int>, std::set<unsigned>, std::size_t>;
    Key key() const { return {next, last_write, stopped, reached}; }
  };

  bool search() {
    seen_.clear();
    return explore(State{});
  }

  bool is_next(const State& state, int event) const {
    const unsigned thread = number(trace_.events[event].thread);
    const auto place = state.next.find(thread);
    const std::size_t position = place == state.next.end() ? 0 : place->second;
    return !state.stopped.contains(thread) && position < threads_.at(thread).size() &&
           threads_.at(thread)[position] == event && has_begun(state, thread);
  }

  bool has_happened(const State& state, int event) const {
    const auto place = state.next.find(number(trace_.events[event].thread));
    return place != state.next.end() && place->second > 0 && threads_.at(place->first)[place->second - 1] >= event;
  }

  bool has_begun(const State& state, unsigned thread) const {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      if (trace_.events[i].kind == EventKind::Fork && trace_.events[i].object == thread)
        return has_happened(state, static_cast<int>(i));
    }
    return true;
  }

  bool explore(const State& state) {
    if (!seen_.insert(state.key()).second) return false;
    if (together_ ? is_next(state, targets_[0]) && is_next(state, targets_[1]) : state.reached == targets_.size())
      return true;
    for (const auto& [thread, own] : threads_) {
      for (const int event : own) {
        if (!is_next(state, event)) continue;
        State after = state;
        if (happen(after, event) && explore(after)) return true;
      }
    }
    return false;
  }

  bool happen(State& state, int index) const {
    const Event& event = trace_.events[index];
    const unsigned thread = number(event.thread);
    const auto target = std::ranges::find(targets_, index);
    const bool is_target = !together_ && target != targets_.end();
    if (is_target && static_cast<std::size_t>(target - targets_.begin()) != state.reached) return false;
    if (event.kind == EventKind::Lock && (state.exclusive[event.object] != 0 || state.shared[event.object] != 0))
      return false;
    if (event.kind == EventKind::ReadLock && state.exclusive[event.object] != 0) return false;
    if (event.kind == EventKind::Lock) ++state.exclusive[event.object];
    if (event.kind == EventKind::ReadLock) ++state.shared[event.object];
    if (event.kind == EventKind::Unlock) --state.exclusive[event.object];
    if (event.kind == EventKind::ReadUnlock) --state.shared[event.object];
    if (event.kind == EventKind::Join) {
      const auto joined = threads_.find(static_cast<unsigned>(event.object));
      if (joined != threads_.end() && !has_happened(state, joined->second.back())) return false;
    }
    if (event.kind == EventKind::Read) {
      const auto written = state.last_write.find(event.object);
      if ((written == state.last_write.end() ? -1 : written->second) != reads_from_[index]) {
        if (!is_target) return false;
        state.stopped.insert(thread);
      }
    }
    if (event.kind == EventKind::Write) state.last_write[event.object] = index;
    if (is_target) ++state.reached;
    ++state.next[thread];
    return true;
  }

  const Trace& trace_;
  std::map<unsigned, std::vector<int>> threads_;
  std::vector<int> reads_from_;
  std::vector<int> targets_;
  bool together_ = false;
  std::set<State::Key> seen_;
};

bool conflict(const Model& model, NodeId a, NodeId b) {
  return model.node(a).thread != model.node(b).thread && (writes(model.node(a).kind) || writes(model.node(b).kind));
}

TEST(Reordering, two_accesses_meet_exactly_if_a_reordering_permits_it) {
  unsigned meetings = 0, pairs = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const Trace trace = RandomTrace(seed, 2 + seed % 2, 8 + seed % 12).trace;
    const Model model = model_of(trace);
    const WitnessFinder finder(model);
    Oracle oracle(trace);
    for (const std::vector<NodeId>& accesses : model.locations) {
      for (const NodeId a : accesses) {
        for (const NodeId b : accesses) {
          if (a >= b || !conflict(model, a, b)) continue;
          const Goal goal{Goal::Shape::Together, {a, b}, {}, {}};
          const bool exists =
              oracle.can_meet(static_cast<int>(model.node(a).step), static_cast<int>(model.node(b).step));
          EXPECT_EQ(finder.find(goal, WitnessStrength::Strict, WitnessStrength::Strict).has_value(), exists)
              << "seed " << seed << ", steps " << model.node(a).step << " and " << model.node(b).step;
          ++pairs;
          meetings += exists ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(meetings, 100u);
  EXPECT_GT(pairs - meetings, 100u);
}

TEST(Reordering, an_access_comes_between_two_exactly_if_a_reordering_permits_it) {
  unsigned found = 0, triples = 0;
  for (unsigned seed = 1000; seed < 1600; ++seed) {
    const Trace trace = RandomTrace(seed, 2 + seed % 2, 8 + seed % 10).trace;
    const Model model = model_of(trace);
    const WitnessFinder finder(model);
    Oracle oracle(trace);
    for (const std::vector<NodeId>& accesses : model.locations) {
      for (const NodeId i : accesses) {
        for (const NodeId j : accesses) {
          if (i >= j || model.node(i).thread != model.node(j).thread) continue;
          for (const NodeId k : accesses) {
            if (!conflict(model, i, k)) continue;
            const Goal goal{Goal::Shape::InOrder, {i, k, j}, {{0, 1}, {1, 2}}, {}};
            const bool exists =
                oracle.can_follow({static_cast<int>(model.node(i).step), static_cast<int>(model.node(k).step),
                                   static_cast<int>(model.node(j).step)});
            EXPECT_EQ(finder.find(goal, WitnessStrength::Strict, WitnessStrength::Strict).has_value(), exists)
                << "seed " << seed << ", steps " << model.node(i).step << ", " << model.node(k).step << ", "
                << model.node(j).step;
            ++triples;
            found += exists ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(triples - found, 100u);
}

}  // namespace
}  // namespace heddle::predict
