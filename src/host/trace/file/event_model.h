#pragma once
// The model that predicts the next event, so that a trace stores only deviations (docs/trace_format.md).
// INVARIANT: after the same events the models of encoder and decoder are equal.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace heddle::trace {

// Low seven bits of the control byte of an ordinary event.
inline constexpr unsigned kSurprisingHead = 1;
inline constexpr unsigned kObjectRuleShift = 1;   // two bits: ObjectRule
inline constexpr unsigned kObjectWidthShift = 3;  // two bits: log2 of the number of bytes in the object column
inline constexpr unsigned kValueWidthShift = 5;   // two bits: log2 of the number of bytes in the value column
// Control bytes with the high bit.
inline constexpr std::uint8_t kControlSwitch = 0x80;
inline constexpr std::uint8_t kControlThread = 0x81;  // not an event: the following events are of another thread

enum class ObjectRule : unsigned { Stride = 0, Offset = 1, FromLast = 2, FromPrevious = 3 };

enum Column : unsigned { kControls, kHeads, kDefinitions, kObjects, kValues, kSwitches, kColumnCount };
inline constexpr std::size_t kColumnSizesBytes = kColumnCount * sizeof(std::uint32_t);

// State of one distinct ring head (kind, flags, size, site): its last event and its successor. Fills one cache line.
struct alignas(64) HeadState {
  std::uint64_t head = 0;
  std::uint64_t last_object = 0;
  std::uint64_t stride = 0;  // last object minus the object before it
  std::uint64_t offset = 0;  // last object minus the object of the preceding event of the thread
  std::uint64_t last_value = 0;
  using Note = std::array<std::uint64_t, 2>;
  Note note{};               // scratch data of the decoder's client
  std::uint32_t next = 0;    // index of the head that followed last
  std::uint32_t number = 0;  // own index
};
static_assert(sizeof(HeadState) == 64);

inline constexpr std::size_t kThreadContexts = 256;
// The last event of a thread. Threads with equal low bits in their numbers share a context, which costs only accuracy.
struct ThreadContext {
  std::uint32_t head = 0;
  std::uint64_t object = 0;
};

struct EventModel {
  std::vector<HeadState> heads;  // the first stands for "no event yet"; no event has this head
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
