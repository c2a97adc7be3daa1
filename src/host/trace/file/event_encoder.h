#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/event.h"
#include "trace/file/bytes.h"
#include "trace/file/chunk.h"
#include "trace/file/event_model.h"
#include "trace/object.h"
#include "trace/ring_decoder.h"

namespace heddle::trace {

// Turns the events of one chunk into columns. Nearly all of a recorded run passes through add_plain().
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

  // Takes plain records - accesses, locks, allocations - from the beginning of `words`, addresses made objects by
  // `objects`, up to the first other one, the end of the chunk, or a record that is not whole. Returns how many words.
  std::size_t add_plain(std::span<const std::uint64_t> words, ObjectMap& objects, CompactDictionary& introduced);

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

  // HeadState, and what finds the head of an event at once. A line of the cache each.
  struct alignas(64) Head {
    std::uint64_t head;
    std::uint64_t last_object;
    std::uint64_t stride;
    std::uint64_t offset;
    std::uint64_t last_value;
    Head* next;
    std::uint64_t values;  // that each of its events has: 0 or 1
    std::uint32_t index;
    std::uint16_t in_short;  // the low bits of the words that stand for it (format/compact_access.h); 0: none do
  };
  // Of a thread, as ThreadContext.
  struct Context {
    Head* head;
    std::uint64_t object;
  };

  // What add() and add_plain() keep in registers: bytes that are written may lie anywhere for all that the compiler
  // knows, so that members would be stored and loaded again with each of them.
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
  static unsigned put_object(Cursors& at, std::uint64_t from_last, std::uint64_t from_previous);
  void add_at(Cursors& at, Head& head, std::uint64_t object, std::uint64_t value);
  void enter(ThreadId thread) {
    thread_ = thread;
    context_ = &contexts_[number(thread) % contexts_.size()];
  }

  // Where the index of a head is likely found at once: sites are numbered densely, and what has none differs by kind.
  static std::size_t slot_of(std::uint64_t head) { return (head >> 32 ^ (head & 0xff) << 7) % kSlots; }
  Head& state_of(std::uint64_t head) {
    std::uint32_t& index = slots_[slot_of(head)];
    if (heads_[index].head != head) [[unlikely]]
      index = find_or_define(head);
    return heads_[index];
  }
  void set_in_short(Head& head, std::uint64_t word) {
    head.in_short = static_cast<std::uint16_t>(word);
    compact_slots_[format::compact_slot_of(word)] = head.index;
  }
  void forget_in_short(std::uint64_t head) {
    if (!format::is_introduction(head)) return;
    std::uint32_t& index = compact_slots_[format::compact_slot(static_cast<std::uint32_t>(head >> 32))];
    heads_[index].in_short = 0;
    index = 0;
  }
  std::uint32_t find_or_define(std::uint64_t head);
  std::uint32_t add_head(std::uint64_t head);
  void grow_dictionary();

  // The model that the decoder holds as an EventModel. The first head stands for "nothing yet".
  std::unique_ptr<Head[]> heads_;  // room for as many as a chunk can have: they stay where they are
  std::uint32_t head_count_ = 0;
  std::array<Context, kThreadContexts> contexts_;
  Context* context_ = nullptr;
  ThreadId thread_ = kMainThread;
  std::uint32_t count_ = 0;
  std::array<ColumnBuffer, kColumnCount> columns_;
  std::vector<std::uint32_t> dictionary_;  // open addressing by head; 0: free
  static constexpr std::size_t kSlots = 1u << 15;
  std::vector<std::uint32_t> slots_;  // by slot_of(): index of a head, 0 for none
  // By format::compact_slot(): index of the head introduced there, 0 for one of which this chunk has no event yet.
  std::vector<std::uint32_t> compact_slots_;
};

}  // namespace heddle::trace
