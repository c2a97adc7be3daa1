#include "trace/file/event_encoder.h"

#include <algorithm>

namespace heddle::trace {
namespace {

constexpr std::size_t kDictionaryInitial = 1024;
// Prefetch distance. The cache lines of the ring lie in the cache of the core that wrote them.
constexpr std::size_t kWordsAhead = 256;

// Event kinds whose object is an address. Other records need more than the encoder.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned code = 0; code < plain.size(); ++code) {
    const auto kind = static_cast<format::EventKind>(code);
    plain[code] = format::event_word(kind) != nullptr && object_is_address(kind);
  }
  return plain;
}();
constexpr std::uint64_t kPlainFlags = format::kHasValue | format::kPreemption | format::kFailed | format::kPoint;

bool is_plain(std::uint64_t head) { return kPlain[head & 0xff] && (head >> 8 & 0xff & ~kPlainFlags) == 0; }

unsigned width_of(std::uint64_t value) {
  return unsigned{value > 0xff} + unsigned{value > 0xffff} + unsigned{value > 0xffffffff};
}

std::size_t dictionary_slot(std::uint64_t head, std::size_t slots) {
  return static_cast<std::size_t>(head * 0x9e3779b97f4a7c15u >> 32) & (slots - 1);
}

}  // namespace

// Writes an object that no rule predicts. Returns its part of the control byte.
[[gnu::always_inline]] inline unsigned EventEncoder::put_object(Cursors& at, std::uint64_t from_last,
                                                                std::uint64_t from_previous) {
  // Uses the previous object as base only where that saves bytes: choosing the nearer base would add noise to the
  // control bytes, which compress worse then.
  const unsigned last_width = width_of(zigzag(from_last));
  const unsigned previous_width = width_of(zigzag(from_previous));
  const bool nearer = previous_width < last_width;
  const std::uint64_t difference = zigzag(nearer ? from_previous : from_last);
  const unsigned width = nearer ? previous_width : last_width;
  std::memcpy(at.objects, &difference, sizeof difference);
  at.objects += std::size_t{1} << width;
  const ObjectRule rule = nearer ? ObjectRule::FromPrevious : ObjectRule::FromLast;
  return static_cast<unsigned>(rule) << kObjectRuleShift | width << kObjectWidthShift;
}

// Encodes one event. Branches only where loops of the program make the outcome likely (a predicted head, an object by a
// rule), and computes the rest without branches: one misprediction costs more than all other work.
[[gnu::always_inline]] inline void EventEncoder::add_at(Cursors& at, Head& state, std::uint64_t object,
                                                        std::uint64_t value) {
  unsigned control = 0;
  if (at.context.head->next != &state) {
    at.context.head->next = &state;
    at.heads = put_varint(at.heads, state.index);
    control = kSurprisingHead;
  }
  const std::uint64_t from_last = object - state.last_object;
  const std::uint64_t from_previous = object - at.context.object;
  const bool by_stride = from_last == state.stride;
  const bool by_offset = from_previous == state.offset;
  if (by_stride | by_offset) [[likely]] {
    const ObjectRule rule = by_stride ? ObjectRule::Stride : ObjectRule::Offset;
    control |= static_cast<unsigned>(rule) << kObjectRuleShift;
  } else {
    control |= put_object(at, from_last, from_previous);
  }
  state.stride = from_last;
  state.offset = from_previous;
  state.last_object = object;
  if (state.values != 0) {
    const std::uint64_t difference = zigzag(value - state.last_value);
    const unsigned width = width_of(difference);
    std::memcpy(at.values, &difference, sizeof difference);
    at.values += std::size_t{1} << width;
    control |= width << kValueWidthShift;
    state.last_value = value;
  }
  at.context = {&state, object};
  *at.controls++ = static_cast<std::uint8_t>(control);
}

EventEncoder::Cursors EventEncoder::begin_adding() const {
  return {columns_[kControls].end, columns_[kHeads].end, columns_[kObjects].end, columns_[kValues].end, *context_};
}

void EventEncoder::end_adding(const Cursors& cursors) {
  columns_[kControls].end = cursors.controls;
  columns_[kHeads].end = cursors.heads;
  columns_[kObjects].end = cursors.objects;
  columns_[kValues].end = cursors.values;
  *context_ = cursors.context;
}

void EventEncoder::add(std::uint64_t head, std::uint64_t object, std::uint64_t value) {
  forget_compact(head);
  Cursors cursors = begin_adding();
  add_at(cursors, state_of(head), object, value);
  end_adding(cursors);
  ++count_;
}

// Encodes compact accesses whose heads this chunk knows. Nearly all of a recorded run passes through this loop. It
// compares a word with the predicted head first, and looks the head up only after a misprediction.
std::size_t EventEncoder::add_compact(std::span<const std::uint64_t> words, ObjectMap& objects) {
  const std::uint64_t* at = words.data();
  const std::uint64_t* const end = at + std::min<std::size_t>(words.size(), kEventsPerChunk - count_);
  const std::uint32_t* const slots = compact_slots_.data();
  Cursors to = begin_adding();
  Head* previous = to.context.head;
  std::uint64_t previous_object = to.context.object;
  std::size_t ranges = 0;
  for (; at != end; ++at) {
    const std::uint64_t word = *at;
    __builtin_prefetch(at + kWordsAhead);
    Head* state = previous->next;
    unsigned control = 0;
    if (state->compact_bits != static_cast<std::uint16_t>(word)) [[unlikely]] {
      const std::uint32_t index = slots[format::compact_slot_of(word)];
      if (!format::is_compact(word) || index == 0) break;
      state = &heads_[index];
      previous->next = state;
      to.heads = put_varint(to.heads, index);
      control = kSurprisingHead;
    }
    const std::uint64_t object = objects.object_at(format::compact_address(word));
    const std::uint64_t from_last = object - state->last_object;
    const std::uint64_t from_previous = object - previous_object;
    ranges += state->values;
    if (from_last != state->stride) {
      state->stride = from_last;
      control |= from_previous == state->offset ? static_cast<unsigned>(ObjectRule::Offset) << kObjectRuleShift
                                                : put_object(to, from_last, from_previous);
    }
    state->offset = from_previous;
    state->last_object = object;
    *to.controls++ = static_cast<std::uint8_t>(control);
    previous = state;
    previous_object = object;
  }
  // A compact range has the length of the last one, so its value is one byte of difference 0.
  std::memset(to.values, 0, ranges);
  to.values += ranges;
  to.context = {previous, previous_object};
  end_adding(to);
  const auto taken = static_cast<std::size_t>(at - words.data());
  count_ += static_cast<std::uint32_t>(taken);
  return taken;
}

std::size_t EventEncoder::add_plain(std::span<const std::uint64_t> words, ObjectMap& objects,
                                    CompactDictionary& dictionary) {
  using format::kRecordWordsMax;
  Cursors cursors = begin_adding();
  std::size_t at = 0;
  std::uint32_t count = count_;
  while (words.size() - at >= kRecordWordsMax && count < kEventsPerChunk) {
    const std::uint64_t head = words[at];
    if (format::is_compact(head)) {
      end_adding(cursors);
      count_ = count;
      at += add_compact(words.subspan(at), objects);
      cursors = begin_adding();
      count = count_;
      if (words.size() - at < kRecordWordsMax || count == kEventsPerChunk || !format::is_compact(words[at])) continue;
      // The first access with its head in this chunk.
      const CompactDictionary::Record known = dictionary.find(words[at]);
      if (known.head == 0) break;
      Head& state = state_of(known.head);
      add_at(cursors, state, objects.object_at(format::compact_address(words[at])), known.value);
      set_compact(state, words[at]);
      ++at;
      ++count;
      continue;
    }
    if (!is_plain(head)) break;
    dictionary.learn(words.data() + at);
    forget_compact(head);
    add_at(cursors, state_of(head), objects.object_at(words[at + 1]), words[at + 2]);
    at += (head >> 8 & format::kHasValue) != 0 ? 3 : 2;
    ++count;
  }
  end_adding(cursors);
  count_ = count;
  return at;
}

void EventEncoder::ColumnBuffer::reserve(std::size_t bytes_per_event) {
  // put_wide() writes eight bytes for any width.
  begin = std::make_unique_for_overwrite<std::uint8_t[]>(bytes_per_event * kEventsPerChunk + 8);
  end = begin.get();
}

EventEncoder::EventEncoder()
    : heads_(std::make_unique_for_overwrite<Head[]>(kEventsPerChunk + 1)),
      contexts_(std::make_unique_for_overwrite<Context[]>(kThreadContexts)),
      dictionary_(kDictionaryInitial),
      slots_(kSlots),
      compact_slots_(format::kCompactSlots) {
  columns_[kControls].reserve(2);  // each event may be the first of another thread
  columns_[kHeads].reserve(5);
  columns_[kDefinitions].reserve(8);
  columns_[kObjects].reserve(8);
  columns_[kValues].reserve(8);
  columns_[kSwitches].reserve(1 + 3 + 5 + 5 + 4 + 10 + 5);  // the fields of a switch, and a control byte for a thread
  reset(kMainThread);
}

void EventEncoder::reset(ThreadId thread) {
  head_count_ = 0;
  add_head(0);
  std::fill_n(contexts_.get(), kThreadContexts, Context{heads_.get(), 0});
  enter(thread);
  count_ = 0;
  for (ColumnBuffer& column : columns_) column.end = column.begin.get();
  dictionary_.assign(dictionary_.size(), 0);
  slots_.assign(kSlots, 0);
  compact_slots_.assign(format::kCompactSlots, 0);
}

void EventEncoder::put_payload(std::string& out) const {
  for (const ColumnBuffer& column : columns_) {
    put_fixed(out, static_cast<std::uint32_t>(column.end - column.begin.get()));
  }
  for (const ColumnBuffer& column : columns_) {
    out.append(reinterpret_cast<const char*>(column.begin.get()), reinterpret_cast<const char*>(column.end));
  }
}

void EventEncoder::add_switch(std::uint64_t head, std::uint64_t object, std::uint64_t value) {
  columns_[kControls].put_byte(kControlSwitch);
  ColumnBuffer& column = columns_[kSwitches];
  const auto flags = static_cast<std::uint8_t>(head >> 8);
  const auto next = static_cast<std::uint32_t>(object);
  column.put_byte(flags);
  column.put_varint(head >> 16 & 0xffff);
  column.put_varint(head >> 32);
  column.put_varint(next);
  column.put_wide(object >> 32, 2);
  if ((flags & format::kHasValue) != 0) column.put_varint(value);
  ++count_;
  enter(ThreadId{next});
}

void EventEncoder::set_thread(ThreadId thread) {
  columns_[kControls].put_byte(kControlThread);
  columns_[kSwitches].put_varint(number(thread));
  enter(thread);
}

std::uint32_t EventEncoder::add_head(std::uint64_t head) {
  Head& state = heads_[head_count_] = {};
  state.head = head;
  state.next = heads_.get();
  state.values = head >> 8 & format::kHasValue;
  state.index = head_count_;
  return head_count_++;
}

std::uint32_t EventEncoder::find_or_define(std::uint64_t head) {
  std::size_t slot = dictionary_slot(head, dictionary_.size());
  for (; dictionary_[slot] != 0; slot = (slot + 1) & (dictionary_.size() - 1)) {
    if (heads_[dictionary_[slot]].head == head) return dictionary_[slot];
  }
  const std::uint32_t index = add_head(head);
  dictionary_[slot] = index;
  columns_[kDefinitions].put_wide(head, 3);
  if (head_count_ * 2 > dictionary_.size()) grow_dictionary();
  return index;
}

void EventEncoder::grow_dictionary() {
  dictionary_.assign(dictionary_.size() * 2, 0);
  for (std::uint32_t index = 1; index < head_count_; ++index) {
    std::size_t slot = dictionary_slot(heads_[index].head, dictionary_.size());
    while (dictionary_[slot] != 0) slot = (slot + 1) & (dictionary_.size() - 1);
    dictionary_[slot] = index;
  }
}

}  // namespace heddle::trace
