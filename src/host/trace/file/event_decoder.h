#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "trace/event.h"
#include "trace/file/bytes.h"
#include "trace/file/chunk.h"
#include "trace/file/event_model.h"

namespace heddle::trace {

// Yields the events of one chunk piece by piece, so that they are still in the cache when they are
// used. Malformed columns end it: ok() turns false, what was yielded before stands.
class EventDecoder {
 public:
  EventDecoder() : model_(kMainThread) {}

  // Takes the payload over. False when it is not that of a chunk with such a head.
  bool begin(const ChunkHead& head, std::string payload);

  // Fills `events` as far as the chunk goes; returns how many.
  std::size_t decode(std::span<Event> events);

  // Tells all that is left instead of keeping it, for who looks at each event once:
  //   sink.enter(ThreadId)            whose events come next
  //   sink.take_new(head, event)      an event, the first with its head and perhaps others; a switch has the first head
  //   sink.begin_stretch()            events come of which nothing has to be said but where they are: what this returns
  //   is told of
  //                                   them, so that it can keep what it needs for that in registers
  //     .take(head, object, value)    one of them. False: it takes more than a few instructions, and
  //     .take_slowly(the same)        follows
  //     .end()                        there are no more
  // A head is the HeadState in the chunk, of which the note is the sink's own.
  template <typename Sink>
  void tell(Sink& sink) {
    sink.enter(thread_);
    decode_some(left_, sink);
  }
  bool ok() const { return ok_; }
  std::uint32_t left() const { return left_; }
  StepIndex step() const { return step_; }  // of the next event

  // The payload of the finished chunk, to be used again as a buffer.
  std::string take_buffer() { return std::move(payload_); }

 private:
  struct ColumnCursor {
    const std::uint8_t* at;
    const std::uint8_t* end;
  };

  template <typename Sink>
  std::size_t decode_some(std::size_t wanted, Sink& sink);
  template <typename Sink>
  std::size_t decode_plain(std::size_t wanted, Sink& sink);
  bool decode_event(unsigned control, Event& event);
  bool decode_switch(Event& event);
  bool read_varint(ColumnCursor& column, std::uint64_t& value);
  static bool read_wide(ColumnCursor& column, unsigned width, std::uint64_t& value);
  static std::uint32_t read_head_number(const std::uint8_t*& at, const std::uint8_t* end);
  static bool has_value(const HeadState& state) { return (state.head >> 8 & format::kHasValue) != 0; }
  bool columns_used_up() const;

  std::string payload_;
  std::array<ColumnCursor, kColumnCount> columns_{};
  EventModel model_;
  ThreadId thread_ = kMainThread;
  StepIndex step_ = 0;
  std::uint32_t left_ = 0;
  bool ok_ = true;
};

inline bool EventDecoder::read_wide(ColumnCursor& column, unsigned width, std::uint64_t& value) {
  constexpr std::uint64_t kWidthMask[] = {0xff, 0xffff, 0xffffffff, ~std::uint64_t{0}};
  if (static_cast<std::size_t>(column.end - column.at) < std::size_t{1} << width) return false;
  std::memcpy(&value, column.at, sizeof value);
  value &= kWidthMask[width];
  column.at += std::size_t{1} << width;
  return true;
}

// One of one or two bytes, as nearly all of them are. 0: it is not.
inline std::uint32_t EventDecoder::read_head_number(const std::uint8_t*& at, const std::uint8_t* end) {
  if (end - at < 2) return at != end && *at < 0x80 ? *at++ : 0;
  const std::uint32_t first = at[0], second = at[1];
  if (first < 0x80) {
    ++at;
    return first;
  }
  if (second >= 0x80) return 0;
  at += 2;
  return (first & 0x7f) | second << 7;
}

template <typename Sink>
std::size_t EventDecoder::decode_some(std::size_t wanted, Sink& sink) {
  wanted = std::min<std::size_t>(wanted, left_);
  std::size_t count = 0;
  ColumnCursor& controls = columns_[kControls];
  while (ok_ && count < wanted) {
    count += decode_plain(wanted - count, sink);
    if (count == wanted) break;
    if (controls.at == controls.end) {
      ok_ = false;
      break;
    }
    const unsigned control = *controls.at++;
    if (control == kControlThread) {
      std::uint64_t thread = 0;
      ok_ = read_varint(columns_[kSwitches], thread) && thread <= 0xffffffffu;
      thread_ = ThreadId{static_cast<std::uint32_t>(thread)};
      model_.enter(thread_);
      sink.enter(thread_);
      continue;
    }
    Event event;
    event.step = step_;
    event.thread = thread_;
    const bool is_switch = control >= 0x80;
    if (is_switch)
      ok_ = control == kControlSwitch && decode_switch(event);
    else
      ok_ = decode_event(control, event);
    if (!ok_) break;
    sink.take_new(model_.heads[is_switch ? 0 : model_.context->head], event);
    if (is_switch) sink.enter(thread_);
    ++step_;
    ++count;
  }
  left_ -= static_cast<std::uint32_t>(count);
  if (left_ == 0 && ok_) ok_ = columns_used_up();
  return count;
}

// Events of heads that are known: nearly all there are. What this needs all the time it keeps in registers, since
// events that are written may lie anywhere for all that the compiler knows; and it calls nothing as long as the sink
// can say at once what becomes of an event, since a call would take most registers. Returns how many it found before
// the first that takes more, or is malformed.
template <typename Sink>
std::size_t EventDecoder::decode_plain(std::size_t wanted, Sink& sink) {
  ColumnCursor named = columns_[kHeads], objects = columns_[kObjects], values = columns_[kValues];
  HeadState* const heads = model_.heads.data();
  const std::size_t head_count = model_.heads.size();
  HeadState* before = &heads[model_.context->head];
  std::uint64_t object_before = model_.context->object;
  const std::uint8_t* const begin = columns_[kControls].at;
  const std::uint8_t* const end = begin + std::min(wanted, static_cast<std::size_t>(columns_[kControls].end - begin));
  const std::uint8_t* at = begin;
  auto stretch = sink.begin_stretch();
  bool is_taken = true;
  do {
    std::uint64_t value = 0;
    for (is_taken = true; at != end && is_taken; ++at) {
      const unsigned control = *at;
      HeadState* state = &heads[before->next];
      std::uint64_t object = 0;
      value = 0;
      if (control == 0) [[likely]] {  // as expected: what was learned of the head and of what comes before it stays
        if (state == heads) break;
        if (has_value(*state)) {
          if (values.at == values.end) break;
          value = state->last_value += unzigzag(*values.at++);
        }
        object = state->last_object + state->stride;
      } else {
        if (control >= 0x80) break;
        const std::uint8_t* named_at = named.at;
        if ((control & kSurprisingHead) != 0) {
          const std::uint32_t index = read_head_number(named_at, named.end);
          if (index >= head_count) break;
          state = &heads[index];
        }
        if (state == heads) break;
        const auto rule = static_cast<ObjectRule>(control >> kObjectRuleShift & 3);
        object = rule == ObjectRule::Stride ? state->last_object + state->stride : object_before + state->offset;
        const std::uint8_t* objects_at = objects.at;
        if (rule >= ObjectRule::FromLast) {
          std::uint64_t difference = 0;
          if (!read_wide(objects, control >> kObjectWidthShift & 3, difference)) break;
          object = unzigzag(difference) + (rule == ObjectRule::FromLast ? state->last_object : object_before);
        }
        if (has_value(*state)) {
          std::uint64_t difference = 0;
          if (!read_wide(values, control >> kValueWidthShift & 3, difference)) {
            objects.at = objects_at;
            break;
          }
          value = state->last_value += unzigzag(difference);
        }
        before->next = static_cast<std::uint32_t>(state - heads);
        named.at = named_at;
        state->stride = object - state->last_object;
      }
      state->offset = object - object_before;
      state->last_object = object;
      before = state;
      object_before = object;
      is_taken = stretch.take(*state, object, value);
    }
    if (!is_taken) stretch.take_slowly(*before, object_before, value);
  } while (!is_taken);
  stretch.end();
  const auto count = static_cast<std::size_t>(at - begin);
  columns_[kControls].at = at;
  columns_[kHeads] = named;
  columns_[kObjects] = objects;
  columns_[kValues] = values;
  *model_.context = {static_cast<std::uint32_t>(before - heads), object_before};
  step_ += count;
  return count;
}

}  // namespace heddle::trace
