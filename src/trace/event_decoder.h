#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace/chunk.h"
#include "trace/event.h"
#include "trace/event_model.h"

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

  std::size_t decode_plain(std::span<Event> events);
  bool decode_event(unsigned control, Event& event);
  bool decode_switch(Event& event);
  bool read_varint(ColumnCursor& column, std::uint64_t& value);
  static bool read_wide(ColumnCursor& column, unsigned width, std::uint64_t& value);
  bool columns_used_up() const;

  std::string payload_;
  std::array<ColumnCursor, kColumnCount> columns_{};
  EventModel model_;
  ThreadId thread_ = kMainThread;
  StepIndex step_ = 0;
  std::uint32_t left_ = 0;
  bool ok_ = true;
};

}  // namespace heddle::trace
