#include "trace/ring_encoder.h"

#include <gtest/gtest.h>

#include "trace/ring_decoder.h"
#include "trace/ring_event.h"

namespace heddle::trace {
namespace {

using format::EventKind;

Event event(EventKind kind, std::uint64_t object, std::uint32_t site, std::uint16_t size = 8) {
  Event made;
  made.kind = kind;
  made.object = object;
  made.site = site;
  made.size = size;
  return made;
}

Event with_value(Event event, std::uint64_t value) {
  event.flags |= format::kHasValue;
  event.value = value;
  return event;
}

std::vector<std::uint64_t> encoded(RingEncoder& encoder, std::span<const Event> events) {
  std::vector<std::uint64_t> words(RingEncoder::kWordsMax * events.size());
  words.resize(encoder.encode(events, words.data()));
  return words;
}

std::vector<Event> heard(const std::vector<std::uint64_t>& words) {
  RingDecoder decoder;
  std::vector<Event> events;
  decoder.decode(words, [&](const RingRecord& record) { events.push_back(event_of(record)); });
  EXPECT_FALSE(decoder.problem());
  return events;
}

TEST(RingEncoder, what_is_heard_is_what_the_trace_says) {
  constexpr std::uint32_t kSameSlot = 5 + format::kCompactSlots;
  std::vector<Event> events = {
      event(EventKind::Write, 0x1000, 5),
      event(EventKind::Write, 0x1008, 5),
      event(EventKind::Read, 0x1010, kSameSlot),
      event(EventKind::Write, 0x1018, 5),
      event(EventKind::Write, 0x1018, 5, 4),
      event(EventKind::Write, std::uint64_t{1} << 50, 5, 4),
      with_value(event(EventKind::RangeRead, 0x2000, 6, 0), 30),
      with_value(event(EventKind::RangeRead, 0x2000, 6, 0), 30),
      with_value(event(EventKind::RangeRead, 0x2000, 6, 0), 31),
      with_value(event(EventKind::Branch, 0x3000, 2, 0), 0x7000),
      with_value(event(EventKind::Branch, 0x3000, 2, 0), 0x7000),
      event(EventKind::Switch, 3, 12, 0),
      event(EventKind::Write, 0x1020, 5, 4),
  };
  events.back().thread = ThreadId{3};
  RingEncoder encoder({});
  std::vector<std::uint64_t> words = encoded(encoder, std::span(events).first(4));
  const std::vector<std::uint64_t> rest =
      encoded(encoder, std::span(events).subspan(4));  // what was introduced stays so
  words.insert(words.end(), rest.begin(), rest.end());
  EXPECT_EQ(heard(words), events);
}

TEST(RingEncoder, accesses_that_were_introduced_take_a_word) {
  const std::vector<Event> events(100, event(EventKind::Write, 0x1000, 5));
  RingEncoder encoder({});
  EXPECT_EQ(encoded(encoder, events).size(), 2u + 99u);
}

TEST(RingEncoder, objects_in_modules_are_where_the_module_was) {
  TraceModule module;
  module.number = 2;
  module.begin = 0x5000'0000;
  RingEncoder encoder(std::span(&module, 1));
  const Event lock = event(EventKind::Lock, object_in_module(2, 0x40), 0);
  EXPECT_EQ(heard(encoded(encoder, std::span(&lock, 1))).at(0).object, 0x5000'0040u);
}

}  // namespace
}  // namespace heddle::trace
