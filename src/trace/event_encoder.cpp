#include "trace/event_encoder.h"

#include <string_view>

namespace heddle::trace {
namespace {

constexpr std::size_t kDictionaryInitial = 1024;

std::size_t slot_of(std::uint64_t head, std::size_t slots) {
  return static_cast<std::size_t>(head * 0x9e3779b97f4a7c15u >> 32) & (slots - 1);
}

}  // namespace

void EventEncoder::ColumnBuffer::reserve(std::size_t bytes_per_event) {
  // Eight more, since wide values are written whole.
  begin = std::make_unique_for_overwrite<std::uint8_t[]>(bytes_per_event * kEventsPerChunk + 8);
  end = begin.get();
}

EventEncoder::EventEncoder() : model_(kMainThread), dictionary_(kDictionaryInitial) {
  columns_[kControls].reserve(2);  // each event may be the first of another thread
  columns_[kHeads].reserve(5);
  columns_[kDefinitions].reserve(8);
  columns_[kObjects].reserve(8);
  columns_[kValues].reserve(8);
  columns_[kSwitches].reserve(1 + 3 + 5 + 5 + 4 + 10 + 5);  // the fields of a switch, and a change of thread
}

void EventEncoder::reset(ThreadId thread) {
  model_.reset(thread);
  thread_ = thread;
  count_ = 0;
  for (ColumnBuffer& column : columns_) column.end = column.begin.get();
  dictionary_.assign(dictionary_.size(), 0);
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
  thread_ = ThreadId{next};
  model_.enter(thread_);
}

void EventEncoder::set_thread(ThreadId thread) {
  columns_[kControls].put_byte(kControlThread);
  columns_[kSwitches].put_varint(number(thread));
  thread_ = thread;
  model_.enter(thread);
}

std::uint32_t EventEncoder::find_or_define(std::uint64_t head) {
  std::size_t slot = slot_of(head, dictionary_.size());
  for (; dictionary_[slot] != 0; slot = (slot + 1) & (dictionary_.size() - 1)) {
    if (model_.heads[dictionary_[slot]].head == head) return dictionary_[slot];
  }
  const auto index = static_cast<std::uint32_t>(model_.heads.size());
  dictionary_[slot] = index;
  model_.heads.push_back({.head = head});
  columns_[kDefinitions].put_wide(head, 3);
  if (model_.heads.size() * 2 > dictionary_.size()) grow_dictionary();
  return index;
}

void EventEncoder::grow_dictionary() {
  dictionary_.assign(dictionary_.size() * 2, 0);
  for (std::uint32_t index = 1; index < model_.heads.size(); ++index) {
    std::size_t slot = slot_of(model_.heads[index].head, dictionary_.size());
    while (dictionary_[slot] != 0) slot = (slot + 1) & (dictionary_.size() - 1);
    dictionary_[slot] = index;
  }
}

}  // namespace heddle::trace
