#include "trace/file/event_decoder.h"

#include <utility>

namespace heddle::trace {
namespace {

constexpr std::size_t kSlack = 8;  // read_wide() reads eight bytes for any width
constexpr std::uint64_t kKnownFlags =
    format::kHasValue | format::kPreemption | format::kFailed | format::kAfter | format::kPoint;

}  // namespace

bool EventDecoder::begin(const ChunkHead& head, std::string payload) {
  ok_ = false;
  left_ = 0;
  payload_ = std::move(payload);
  ByteReader sizes(payload_);
  std::array<std::uint32_t, kColumnCount> size{};
  std::uint64_t total = kColumnSizesBytes;
  for (std::uint32_t& column : size) total += column = sizes.fixed<std::uint32_t>();
  if (!sizes.ok() || total != payload_.size()) return false;
  payload_.append(kSlack, '\0');
  const auto* at = reinterpret_cast<const std::uint8_t*>(payload_.data()) + kColumnSizesBytes;
  for (unsigned column = 0; column < kColumnCount; ++column) {
    columns_[column] = {at, at + size[column]};
    at += size[column];
  }
  thread_ = ThreadId{head.first_thread};
  model_.reset(thread_);
  step_ = head.first_step;
  left_ = head.event_count;
  ok_ = true;
  return true;
}

std::size_t EventDecoder::decode(std::span<Event> events) {
  struct DecodeRun {
    DecodeRun* whole;
    Event* at;
    StepIndex step;
    ThreadId thread;

    DecodeRun begin_batch() { return *this; }
    void enter(ThreadId next) { thread = next; }
    bool take(const HeadState& state, std::uint64_t object, std::uint64_t value) {
      at->step = step++;
      at->object = object;
      at->value = value;
      at->thread = thread;
      set_head(*at, state.head);
      ++at;
      return true;
    }
    void take_slowly(const HeadState&, std::uint64_t, std::uint64_t) {}
    void take_new(const HeadState&, const Event& event) {
      *at++ = event;
      ++step;
    }
    void end() {
      whole->at = at;
      whole->step = step;
    }
  } writer{&writer, events.data(), step_, thread_};
  return decode_some(events.size(), writer);
}

bool EventDecoder::read_varint(ColumnCursor& column, std::uint64_t& value) {
  ByteReader reader(
      std::string_view(reinterpret_cast<const char*>(column.at), static_cast<std::size_t>(column.end - column.at)));
  value = reader.varint();
  column.at = column.end - reader.left();
  return reader.ok();
}

bool EventDecoder::decode_event(unsigned control, Event& event) {
  const std::uint32_t before = model_.context->head;
  std::uint32_t index = model_.heads[before].next;
  if ((control & kSurprisingHead) != 0) {
    std::uint64_t named = 0;
    if (!read_varint(columns_[kHeads], named) || named == 0 || named > model_.heads.size()) return false;
    index = static_cast<std::uint32_t>(named);
    if (index == model_.heads.size()) {
      std::uint64_t head = 0;
      if (!read_wide(columns_[kDefinitions], 3, head)) return false;
      const auto kind = static_cast<format::EventKind>(head & 0xff);
      if (format::event_word(kind) == nullptr || kind == format::EventKind::Switch) return false;
      if ((head >> 8 & 0xff & ~kKnownFlags) != 0) return false;
      model_.heads.push_back({.head = head, .number = index});
    }
    model_.heads[before].next = index;
  }
  if (index == 0) return false;
  HeadState& state = model_.heads[index];

  std::uint64_t object = 0;
  const auto rule = static_cast<ObjectRule>(control >> kObjectRuleShift & 3);
  if (rule == ObjectRule::Stride) {
    object = state.last_object + state.stride;
  } else if (rule == ObjectRule::Offset) {
    object = model_.context->object + state.offset;
  } else {
    std::uint64_t difference = 0;
    if (!read_wide(columns_[kObjects], control >> kObjectWidthShift & 3, difference)) return false;
    object = unzigzag(difference) + (rule == ObjectRule::FromLast ? state.last_object : model_.context->object);
  }
  model_.learn(state, index, object);

  event.object = object;
  event.value = 0;
  set_head(event, state.head);
  if (event.has_value()) {
    std::uint64_t difference = 0;
    if (!read_wide(columns_[kValues], control >> kValueWidthShift & 3, difference)) return false;
    event.value = state.last_value += unzigzag(difference);
  }
  return true;
}

bool EventDecoder::decode_switch(Event& event) {
  ColumnCursor& column = columns_[kSwitches];
  std::uint64_t flags = 0;
  std::uint64_t size = 0;
  std::uint64_t points = 0;
  std::uint64_t next = 0;
  std::uint64_t check = 0;
  event.value = 0;
  if (!read_wide(column, 0, flags) || !read_varint(column, size) || !read_varint(column, points) ||
      !read_varint(column, next) || !read_wide(column, 2, check) || (flags & ~kKnownFlags) != 0 || size > 0xffff ||
      points > 0xffffffffu || next > 0xffffffffu ||
      ((flags & format::kHasValue) != 0 && !read_varint(column, event.value))) {
    return false;
  }
  event.kind = format::EventKind::Switch;
  event.flags = static_cast<std::uint8_t>(flags);
  event.size = static_cast<std::uint16_t>(size);
  event.site = static_cast<std::uint32_t>(points);
  event.object = next | check << 32;
  thread_ = ThreadId{static_cast<std::uint32_t>(next)};
  model_.enter(thread_);
  return true;
}

bool EventDecoder::columns_used_up() const {
  return std::ranges::all_of(columns_, [](const ColumnCursor& column) { return column.at == column.end; });
}

}  // namespace heddle::trace
