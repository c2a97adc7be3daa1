#pragma once
// What both sides of the event coding expect next, so that only surprises are written
// (docs/trace_format.md). Encoder and decoder hold equal models as long as they have seen the same
// events.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle::trace {

// Low seven bits of the control byte of an ordinary event.
inline constexpr unsigned kSurprisingHead = 1;
inline constexpr unsigned kObjectRuleShift = 1;   // two bits: ObjectRule
inline constexpr unsigned kObjectWidthShift = 3;  // two bits: 1 << them bytes in the object column
inline constexpr unsigned kValueWidthShift = 5;   // two bits: 1 << them bytes in the value column
// Control bytes of what is not an ordinary event.
inline constexpr std::uint8_t kControlSwitch = 0x80;
inline constexpr std::uint8_t kControlThread = 0x81;  // no event: the next ones are of another thread

enum class ObjectRule : unsigned { Stride = 0, Offset = 1, FromLast = 2, FromPrevious = 3 };

enum Column : unsigned { kControls, kHeads, kDefinitions, kObjects, kValues, kSwitches, kColumnCount };
inline constexpr std::size_t kColumnSizesBytes = kColumnCount * sizeof(std::uint32_t);

// Per distinct ring head (kind, flags, size, site): what came after it, and where its objects lay. A line of the cache.
struct alignas(64) HeadState {
  std::uint64_t head = 0;
  std::uint64_t last_object = 0;
  std::uint64_t stride = 0;  // from its last object but one to its last
  std::uint64_t offset = 0;  // from the object of the event before it to its own
  std::uint64_t last_value = 0;
  using Note = std::array<std::uint64_t, 2>;
  Note note{};  // whatever who is told of the events wants to know of all with this head
  std::uint32_t next = 0;
  std::uint32_t number = 0;  // its own
};
static_assert(sizeof(HeadState) == 64);

inline constexpr std::size_t kThreadContexts = 256;
// The last event of a thread. Threads whose numbers agree in the low bits share one: predictions
// suffer, nothing else.
struct ThreadContext {
  std::uint32_t head = 0;
  std::uint64_t object = 0;
};

struct EventModel {
  std::vector<HeadState> heads;  // the first stands for "nothing yet"; no event has its head
  std::array<ThreadContext, kThreadContexts> contexts;
  ThreadContext* context;

  explicit EventModel(ThreadId thread) { reset(thread); }
  EventModel(const EventModel&) = delete;
  EventModel& operator=(const EventModel&) = delete;

  void reset(ThreadId thread) {
    heads.assign(1, HeadState{});
    contexts.fill(ThreadContext{});
    enter(thread);
  }
  void enter(ThreadId thread) { context = &contexts[number(thread) % contexts.size()]; }

  void learn(HeadState& state, std::uint32_t index, std::uint64_t object) {
    state.stride = object - state.last_object;
    state.offset = object - context->object;
    state.last_object = object;
    context->object = object;
    context->head = index;
  }
};

}  // namespace heddle::trace
