#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "support/bytes.h"
#include "trace/event.h"
#include "trace/file/chunk.h"
#include "trace/file/event_model.h"

namespace heddle::trace {

// Decodes the events of one chunk. A chunk stores events as columns of deviations from a model (event_model.h), so the
// decoder updates the same model as the encoder and reads a column only where the control byte of the event says so.
// decode() fills small blocks, which are still in the cache when the caller uses them; visit() calls a sink for each
// event and stores none. Both run decode_some(), whose inner loop decode_plain() handles the events with a known head.
// Malformed columns end the chunk: ok() becomes false, and all events decoded before are valid.
class EventDecoder {
 public:
  EventDecoder() : model_(kMainThread) {}

  // Takes ownership of the payload. False if it does not have the columns of a chunk.
  bool begin(const ChunkHead& head, std::string payload);

  // Decodes the next events into `events`; returns their number, which is smaller at the end of the chunk.
  std::size_t decode(std::span<Event> events);

  // Passes the remaining events to a sink:
  //   sink.enter(ThreadId)            the thread of the following events
  //   sink.take_new(head, event)      a switch (with the first head), or the first event with its head
  //   sink.begin_batch()              starts a batch of events with known heads, and returns an object that can keep
  //   its
  //                                   state in registers, with the functions
  //     .take(head, object, value)    an event; false if it needs more than a few instructions. Then follows
  //     .take_slowly(the same)        for the same event
  //     .end()                        ends the batch
  // `head` is the HeadState of the event in this chunk; its note belongs to the sink.
  template <typename Sink>
  void visit(Sink& sink) {
    sink.enter(thread_);
    decode_some(left_, sink);
  }
  bool ok() const { return ok_; }
  std::uint32_t left() const { return left_; }
  StepIndex step() const { return step_; }  // of the next event

  // The payload of the finished chunk, for reuse as a buffer.
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

// Reads a head number of one or two bytes, which nearly all have. 0: a longer number, or malformed.
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

// Decodes events with known heads, which are nearly all. The state of the loop is in local variables, because the
// compiler must assume that a written event may alias members. The loop contains no function call as long as the sink
// can take each event inline, because a call would clobber most registers. Returns the number of events before the
// first one that needs more work or is malformed.
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
  auto batch = sink.begin_batch();
  bool is_taken = true;
  do {
    std::uint64_t value = 0;
    for (is_taken = true; at != end && is_taken; ++at) {
      const unsigned control = *at;
      HeadState* state = &heads[before->next];
      std::uint64_t object = 0;
      value = 0;
      if (control == 0) [[likely]] {  // as predicted: successor and stride of the heads do not change
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
      is_taken = batch.take(*state, object, value);
    }
    if (!is_taken) batch.take_slowly(*before, object_before, value);
  } while (!is_taken);
  batch.end();
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
