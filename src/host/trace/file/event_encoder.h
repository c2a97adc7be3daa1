#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/event.h"
#include "support/bytes.h"
#include "trace/file/chunk.h"
#include "trace/file/event_model.h"
#include "trace/object.h"
#include "trace/ring_decoder.h"

namespace heddle::trace {

// Encodes the events of one chunk as columns of deviations from a model (event_model.h). The model predicts the head of
// the next event from the previous head of the thread, its object from the stride of the head or the offset to the
// previous object, and its value as equal to the last one. A predicted event costs one control byte of 0.
// Nearly all of a recorded run passes through add_plain() and from there through add_compact(), so both keep the state
// of their loops in registers (Cursors), and columns have room for the worst case instead of checks.
class EventEncoder {
 public:
  EventEncoder();

  ThreadId thread() const { return thread_; }
  std::uint32_t count() const { return count_; }
  bool full() const { return count_ == kEventsPerChunk; }

  // Starts the next chunk, with `thread` running.
  void reset(ThreadId thread);
  // Appends the columns.
  void put_payload(std::string& out) const;

  // Encodes the plain records (accesses, locks, allocations) at the beginning of `words`, up to the first other or
  // incomplete record, or the end of the chunk. Returns the number of words consumed.
  std::size_t add_plain(std::span<const std::uint64_t> words, ObjectMap& objects, CompactDictionary& dictionary);

  // REQUIRES (all): !full().
  // `head` as in the ring, not of a Switch. `value` is ignored unless the head has kHasValue.
  void add(std::uint64_t head, std::uint64_t object, std::uint64_t value);
  // Switches to the thread in `object`.
  void add_switch(std::uint64_t head, std::uint64_t object, std::uint64_t value);
  // The following events are of `thread`, without a switch.
  void set_thread(ThreadId thread);

 private:
  // A column has room for the largest chunk, so that no write needs a check.
  struct ColumnBuffer {
    std::unique_ptr<std::uint8_t[]> begin;
    std::uint8_t* end = nullptr;

    void reserve(std::size_t bytes_per_event);
    void put_byte(unsigned value) { *end++ = static_cast<std::uint8_t>(value); }
    void put_varint(std::uint64_t value) { end = EventEncoder::put_varint(end, value); }
    // Writes eight bytes and keeps the first `1 << width`.
    void put_wide(std::uint64_t value, unsigned width) {
      std::memcpy(end, &value, sizeof value);
      end += std::size_t{1} << width;
    }
  };

  // HeadState in the form for encoding, with a pointer to the successor. Fills one cache line.
  struct alignas(64) Head {
    std::uint64_t head;
    std::uint64_t last_object;
    std::uint64_t stride;
    std::uint64_t offset;
    std::uint64_t last_value;
    Head* next;
    std::uint64_t values;  // values per event: 0 or 1
    std::uint32_t index;
    std::uint16_t compact_bits;  // low bits of its compact words (format/compact_access.h); 0: none
  };
  // ThreadContext in the form for encoding.
  struct Context {
    Head* head;
    std::uint64_t object;
  };

  // The state that add() and add_plain() keep in registers. As members they would be stored and loaded for each written
  // byte, because the compiler must assume that the bytes alias them.
  struct Cursors {
    std::uint8_t* controls;
    std::uint8_t* heads;
    std::uint8_t* objects;
    std::uint8_t* values;
    Context context;
  };
  Cursors begin_adding() const;
  void end_adding(const Cursors& cursors);
  std::size_t add_compact(std::span<const std::uint64_t> words, ObjectMap& objects);
  static std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::uint8_t>(value | 0x80);
    *at++ = static_cast<std::uint8_t>(value);
    return at;
  }
  static unsigned put_object(Cursors& at, std::uint64_t from_last, std::uint64_t from_previous);
  void add_at(Cursors& at, Head& head, std::uint64_t object, std::uint64_t value);
  void enter(ThreadId thread) {
    thread_ = thread;
    context_ = &contexts_[number(thread) % kThreadContexts];
  }

  // The slot of a head in slots_. Sites have dense numbers, and heads without a site differ by kind.
  static std::size_t slot_of(std::uint64_t head) { return (head >> 32 ^ (head & 0xff) << 7) % kSlots; }
  Head& state_of(std::uint64_t head) {
    std::uint32_t& index = slots_[slot_of(head)];
    if (heads_[index].head != head) [[unlikely]]
      index = find_or_define(head);
    return heads_[index];
  }
  void set_compact(Head& head, std::uint64_t word) {
    head.compact_bits = static_cast<std::uint16_t>(word);
    compact_slots_[format::compact_slot_of(word)] = head.index;
  }
  void forget_compact(std::uint64_t head) {
    if (!format::is_introduction(head)) return;
    std::uint32_t& index = compact_slots_[format::compact_slot(static_cast<std::uint32_t>(head >> 32))];
    heads_[index].compact_bits = 0;
    index = 0;
  }
  std::uint32_t find_or_define(std::uint64_t head);
  std::uint32_t add_head(std::uint64_t head);
  void grow_dictionary();

  // The same model as the decoder's EventModel. The first head stands for "no event yet".
  std::unique_ptr<Head[]> heads_;  // room for the largest chunk, so that heads never move
  std::uint32_t head_count_ = 0;
  std::unique_ptr<Context[]> contexts_;  // kThreadContexts
  Context* context_ = nullptr;
  ThreadId thread_ = kMainThread;
  std::uint32_t count_ = 0;
  std::array<ColumnBuffer, kColumnCount> columns_;
  std::vector<std::uint32_t> dictionary_;  // open addressing by head; 0: free
  static constexpr std::size_t kSlots = 1u << 15;
  std::vector<std::uint32_t> slots_;  // by slot_of(): index of a head; 0: none
  // By format::compact_slot(): index of the head; 0 if this chunk has no event with it yet.
  std::vector<std::uint32_t> compact_slots_;
};

}  // namespace heddle::trace
