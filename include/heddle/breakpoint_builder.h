// Places in C++: the arrival of a thread at a place, in one line.
//
//   HEDDLE_BREAKPOINT("buffer", first().conflict(&other));      this thread runs first, until the end of the block
//   HEDDLE_BREAKPOINT_HERE("buffer", second().conflict(this))   without a guard; true: hit
#ifndef HEDDLE_BREAKPOINT_BUILDER_H
#define HEDDLE_BREAKPOINT_BUILDER_H

#include <pthread.h>

#include <type_traits>
#include <utility>

namespace heddle {

// From the meeting to the end of the guard's lifetime this thread runs first; then the threads after it resume. The
// address of the guard is never taken, so that a guard of a disabled breakpoint needs no memory.
class BreakpointGuard {
 public:
  BreakpointGuard() = default;
  explicit BreakpointGuard(heddle_breakpoint& at) : met_(begin(at)) {}
  ~BreakpointGuard() { end(); }
  BreakpointGuard(const BreakpointGuard&) = delete;
  BreakpointGuard& operator=(const BreakpointGuard&) = delete;

  bool hit() const { return met_.hit; }
  void end() {
    if (met_.meeting == nullptr) return;
    heddle_bp_end_guard(met_.meeting, met_.place);
    met_.meeting = nullptr;
  }

 private:
  struct Met {  // returned in registers
    heddle_bp_meeting* meeting = nullptr;
    unsigned place = 0;
    bool hit = false;
  };
  HEDDLE_BP_OUTLINE static Met begin(heddle_breakpoint& at) {
    const bool hit = heddle_breakpoint_begin(&at) != 0;
    return {at.meeting, at.place, hit};
  }

  Met met_;
};

// REQUIRES: here() or guard() is called in the expression that makes it, because it points to temporaries.
class Breakpoint {
 public:
  HEDDLE_BP_OUTLINE explicit Breakpoint(const char* name, const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE())
      : place_(*heddle_bp_new_place()) {
    heddle_bp_fill(&place_, name, 0, HEDDLE_KIND_PLAIN, nullptr, nullptr, file, line);
  }
  HEDDLE_BP_OUTLINE ~Breakpoint() { heddle_bp_delete_place(&place_); }
  Breakpoint(const Breakpoint&) = delete;
  Breakpoint& operator=(const Breakpoint&) = delete;

  // The number of this place and of all places.
  Breakpoint& first() { return nth(0, 2); }
  Breakpoint& second() { return nth(1, 2); }
  Breakpoint& nth(unsigned place, unsigned places) {
    place_.place = place;
    place_.places = places;
    return *this;
  }

  // The built-in kinds. An intruder and a notifier run first.
  Breakpoint& conflict(const void* object) { return is(HEDDLE_KIND_CONFLICT, object); }
  Breakpoint& intruder(const void* object) { return first().is(HEDDLE_KIND_ATOMICITY, object); }
  Breakpoint& victim(const void* object) { return second().is(HEDDLE_KIND_ATOMICITY, object); }
  Breakpoint& notifier(const void* object) { return first().is(HEDDLE_KIND_NOTIFICATION, object); }
  Breakpoint& waiter(const void* object) { return second().is(HEDDLE_KIND_NOTIFICATION, object); }
  Breakpoint& deadlock(const void* held, const void* wanted) {
    place_.wanted = wanted;
    return is(HEDDLE_KIND_DEADLOCK, held);
  }

  // Local predicates: the thread passes unless all predicates hold.
  Breakpoint& when(bool condition) {
    if (!condition) place_.local = [](void*) { return 0; };
    return *this;
  }
  template <typename Predicate, typename = std::enable_if_t<std::is_invocable_r_v<bool, Predicate>>>
  Breakpoint& when(Predicate&& predicate) {
    return when(static_cast<bool>(predicate()));
  }
  Breakpoint& when_lock_type_held(const char* type) { return when(heddle_lock_type_is_held(type) != 0); }
  // `lock`: a pthread_mutex_t, an object whose native_handle() is one, or an object that a HeldLock names.
  template <typename Lock>
  Breakpoint& when_lock_held(Lock& lock) {
    if constexpr (std::is_same_v<std::remove_cv_t<Lock>, pthread_mutex_t>)
      return when(heddle_mutex_is_held(&lock) != 0);
    else if constexpr (has_pthread_handle<std::remove_cv_t<Lock>>(0))
      return when(heddle_mutex_is_held(const_cast<std::remove_cv_t<Lock>&>(lock).native_handle()) != 0);
    else
      return when(heddle_lock_is_held(&lock) != 0);
  }

  // Joint predicates. Each place passes a value of the same type; the values of a pair have the order of the places.
  template <typename Value, typename Predicate>
  Breakpoint& joint(const Value& value, const Predicate& predicate) {
    place_.joint = [](const heddle_breakpoint* self, const heddle_breakpoint* const* all, unsigned) -> int {
      return (*static_cast<const Predicate*>(self->callable))(value_of<Value>(all[0]), value_of<Value>(all[1]));
    };
    return with(value, predicate);
  }
  // For any number of places: predicate(value, count), where value(i) is the value of place i.
  template <typename Value, typename Predicate>
  Breakpoint& joint_of_all(const Value& value, const Predicate& predicate) {
    place_.joint = [](const heddle_breakpoint* self, const heddle_breakpoint* const* all, unsigned count) -> int {
      return (*static_cast<const Predicate*>(self->callable))(
          [all](unsigned i) -> const Value& { return value_of<Value>(all[i]); }, count);
    };
    return with(value, predicate);
  }

  Breakpoint& timeout_ms(long long ms) { return place_.timeout_ms = ms, *this; }
  Breakpoint& ignore_first(unsigned long long arrivals) { return place_.ignore_first = arrivals, *this; }
  Breakpoint& bound(unsigned long long hits) { return place_.bound = hits, *this; }
  // After this number of time-outs all arrivals pass, so that a program without a hit ends in bounded time.
  Breakpoint& tries(unsigned long long timeouts) { return place_.tries = timeouts, *this; }
  // Restricts the place to one thread: the first thread other than main that reaches a place of this role (1 to 63).
  Breakpoint& role(unsigned number) { return place_.role = number, *this; }
  Breakpoint& in_main() { return role(HEDDLE_ROLE_MAIN); }
  Breakpoint& required() { return place_.required = 1, *this; }

  // Reaches the place; true: the breakpoint was hit.
  HEDDLE_BP_OUTLINE bool here() { return heddle_breakpoint_reach(&place_) != 0; }
  __attribute__((always_inline)) BreakpointGuard guard() { return BreakpointGuard(place_); }

 private:
  Breakpoint& is(heddle_breakpoint_kind kind, const void* object) {
    place_.kind = kind;
    place_.object = object;
    return *this;
  }
  template <typename Value, typename Predicate>
  Breakpoint& with(const Value& value, const Predicate& predicate) {
    place_.context = const_cast<Value*>(&value);
    place_.callable = &predicate;
    return *this;
  }
  template <typename Value>
  static const Value& value_of(const heddle_breakpoint* place) {
    return *static_cast<const Value*>(place->context);
  }
  template <typename Lock>
  static constexpr auto has_pthread_handle(int)
      -> decltype(std::is_convertible_v<decltype(std::declval<Lock&>().native_handle()), const pthread_mutex_t*>) {
    return std::is_convertible_v<decltype(std::declval<Lock&>().native_handle()), const pthread_mutex_t*>;
  }
  template <typename Lock>
  static constexpr bool has_pthread_handle(long) {
    return false;
  }

  heddle_breakpoint& place_;
};

// Declares that the calling thread holds a lock, from here to the end of the block.
class HeldLock {
 public:
  explicit HeldLock(const void* lock, const char* type = nullptr) { heddle_lock_taken(&held_, lock, type); }
  ~HeldLock() { heddle_lock_released(&held_); }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

 private:
  heddle_held_lock held_{};
};

inline bool nobody_is_here() { return false; }

}  // namespace heddle

#ifndef HEDDLE_NO_BREAKPOINTS
#define HEDDLE_BP_JOIN_AGAIN(a, b) a##b
#define HEDDLE_BP_JOIN(a, b) HEDDLE_BP_JOIN_AGAIN(a, b)
// The arguments after the name are evaluated only if breakpoints are on.
#define HEDDLE_BREAKPOINT(name, ...)                                                   \
  const ::heddle::BreakpointGuard HEDDLE_BP_JOIN(heddle_breakpoint_guard_, __LINE__) = \
      heddle_breakpoints_on() ? ::heddle::Breakpoint(name).__VA_ARGS__.guard() : ::heddle::BreakpointGuard()
// The same from BEGIN to END, for a guard that ends before its block.
#define HEDDLE_BREAKPOINT_BEGIN(variable, name, ...) \
  ::heddle::BreakpointGuard variable =               \
      heddle_breakpoints_on() ? ::heddle::Breakpoint(name).__VA_ARGS__.guard() : ::heddle::BreakpointGuard()
#define HEDDLE_BREAKPOINT_END(variable) variable.end()
#define HEDDLE_BREAKPOINT_HERE(name, ...) (heddle_breakpoints_on() && ::heddle::Breakpoint(name).__VA_ARGS__.here())
#else
#define HEDDLE_BREAKPOINT(name, ...) static_assert(true)
#define HEDDLE_BREAKPOINT_BEGIN(variable, name, ...) static_assert(true)
#define HEDDLE_BREAKPOINT_END(variable) static_assert(true)
// A function call, because compilers warn about an unused constant.
#define HEDDLE_BREAKPOINT_HERE(name, ...) ::heddle::nobody_is_here()
#endif

#endif
