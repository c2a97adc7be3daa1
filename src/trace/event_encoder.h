#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/session.h"
#include "trace/bytes.h"
#include "trace/chunk.h"
#include "trace/event_model.h"

namespace heddle::trace {

// Turns the events of one chunk into columns. Inline, because it runs for every event of a recorded
// run.
class EventEncoder {
 public:
  EventEncoder();

  ThreadId thread() const { return thread_; }
  std::uint32_t count() const { return count_; }
  bool full() const { return count_ == kEventsPerChunk; }

  // Starts the next chunk with `thread` having the turn.
  void reset(ThreadId thread);
  // The columns, as they are compressed.
  void put_payload(std::string& out) const;

  // REQUIRES (all): !full().
  // `head` as in the ring; not that of a Switch. `value` counts only if the head says so.
  void add(std::uint64_t head, std::uint64_t object, std::uint64_t value);
  // The turn goes to the thread named in `object`.
  void add_switch(std::uint64_t head, std::uint64_t object, std::uint64_t value);
  // The following events are of `thread` although there was no switch.
  void set_thread(ThreadId thread);

 private:
  // A column has room for the worst chunk, so that nothing is checked on the way.
  struct ColumnBuffer {
    std::unique_ptr<std::uint8_t[]> begin;
    std::uint8_t* end = nullptr;

    void reserve(std::size_t bytes_per_event);
    void put_byte(unsigned value) { *end++ = static_cast<std::uint8_t>(value); }
    void put_varint(std::uint64_t value) {
      for (; value >= 0x80; value >>= 7) put_byte(static_cast<unsigned>(value | 0x80));
      put_byte(static_cast<unsigned>(value));
    }
    // Writes eight bytes and keeps `1 << width` of them.
    void put_wide(std::uint64_t value, unsigned width) {
      std::memcpy(end, &value, sizeof value);
      end += std::size_t{1} << width;
    }
  };

  static unsigned width_of(std::uint64_t value) {
    return unsigned{value > 0xff} + unsigned{value > 0xffff} + unsigned{value > 0xffffffff};
  }
  std::uint32_t find_or_define(std::uint64_t head);
  void grow_dictionary();

  EventModel model_;
  ThreadId thread_ = kMainThread;
  std::uint32_t count_ = 0;
  std::array<ColumnBuffer, kColumnCount> columns_;
  std::vector<std::uint32_t> dictionary_;  // open addressing by head; 0: free
};

[[gnu::always_inline]] inline void EventEncoder::add(std::uint64_t head, std::uint64_t object, std::uint64_t value) {
  const std::uint32_t before = model_.context->head;
  std::uint32_t index = model_.heads[before].next;
  unsigned control = 0;
  if (model_.heads[index].head != head) {
    index = find_or_define(head);
    model_.heads[before].next = index;
    columns_[kHeads].put_varint(index);
    control = kSurprisingHead;
  }
  HeadState& state = model_.heads[index];
  if (object == state.last_object + state.stride) {
    control |= static_cast<unsigned>(ObjectRule::Stride) << kObjectRuleShift;
  } else if (object == model_.context->object + state.offset) {
    control |= static_cast<unsigned>(ObjectRule::Offset) << kObjectRuleShift;
  } else {
    // The second base only where it saves bytes: a choice by the nearer one would be noise in the
    // control bytes.
    std::uint64_t difference = zigzag(object - state.last_object);
    unsigned width = width_of(difference);
    ObjectRule rule = ObjectRule::FromLast;
    const std::uint64_t from_previous = zigzag(object - model_.context->object);
    if (width_of(from_previous) < width) {
      difference = from_previous;
      width = width_of(difference);
      rule = ObjectRule::FromPrevious;
    }
    columns_[kObjects].put_wide(difference, width);
    control |= static_cast<unsigned>(rule) << kObjectRuleShift | width << kObjectWidthShift;
  }
  model_.learn(state, index, object);
  if ((head >> 8 & format::kHasValue) != 0) {
    const std::uint64_t difference = zigzag(value - state.last_value);
    const unsigned width = width_of(difference);
    columns_[kValues].put_wide(difference, width);
    control |= width << kValueWidthShift;
    state.last_value = value;
  }
  columns_[kControls].put_byte(control);
  ++count_;
}

}  // namespace heddle::trace
