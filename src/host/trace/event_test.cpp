#include "trace/event.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace heddle::trace {
namespace {

using format::EventClass;
using format::EventKind;

TEST(EventKinds, gives_every_kind_a_class_and_a_unique_word) {
  std::set<std::string> words;
  for (const EventKind kind : format::kEventKinds) {
    const char* word = format::event_word(kind);
    ASSERT_NE(word, nullptr);
    EXPECT_TRUE(words.insert(word).second) << word;
    EXPECT_TRUE(format::is_event(kind)) << word;
    EXPECT_EQ(format::is_access(kind), format::class_of(kind) == EventClass::Access) << word;
  }
  unsigned known = 0;
  for (unsigned code = 0; code < 256; ++code) known += format::is_event(static_cast<EventKind>(code));
  EXPECT_EQ(known, words.size());
}

TEST(EventKinds, records_about_the_run_are_not_events) {
  for (const EventKind kind :
       {format::kOccurrence, format::kFrame, format::kModule, format::kCallSite, format::kFrozen})
    EXPECT_FALSE(format::is_event(kind));
}

TEST(EventKinds, only_accesses_read_and_write) {
  for (const EventKind kind : format::kEventKinds) {
    const bool reads_or_writes = format::is_read_access(kind) || format::is_write_access(kind);
    EXPECT_EQ(reads_or_writes, format::touches_memory(kind)) << format::event_word(kind);
    if (format::is_atomic_access(kind) || format::is_range_access(kind))
      EXPECT_TRUE(reads_or_writes) << format::event_word(kind);
    if (reads_or_writes) EXPECT_FALSE(format::acquires(kind) || format::releases(kind)) << format::event_word(kind);
  }
}

TEST(EventKinds, every_synchronisation_has_an_address) {
  for (const EventKind kind : format::kEventKinds) {
    if (!format::is_synchronisation(kind)) continue;
    EXPECT_TRUE(format::object_is_address(kind)) << format::event_word(kind);
    EXPECT_TRUE(format::acquires(kind) || format::releases(kind) || format::waits(kind)) << format::event_word(kind);
    EXPECT_FALSE(format::acquires(kind) && format::releases(kind)) << format::event_word(kind);
    if (format::resumes(kind)) EXPECT_TRUE(format::acquires(kind) && !format::waits(kind)) << format::event_word(kind);
  }
}

TEST(EventKinds, every_lock_operation_either_acquires_or_releases) {
  for (const EventKind kind : format::kEventKinds) {
    const bool of_lock = format::class_of(kind) == EventClass::Lock;
    EXPECT_EQ(of_lock, format::takes_lock(kind) != format::gives_up_lock(kind)) << format::event_word(kind);
    if (format::may_fail(kind))
      EXPECT_TRUE(format::takes_lock(kind) && !format::waits(kind)) << format::event_word(kind);
  }
  EXPECT_TRUE(format::is_shared(EventKind::ReadLock) && format::is_shared(EventKind::ReadUnlock));
  EXPECT_FALSE(format::is_shared(EventKind::Lock) || format::is_shared(EventKind::Unlock));
}

TEST(EventKinds, count_accesses_and_passed_points_as_points_without_a_flag) {
  for (const EventKind kind : format::kEventKinds) {
    EXPECT_EQ(format::is_point(kind, 0), format::is_access(kind) || kind == EventKind::Passed)
        << format::event_word(kind);
    EXPECT_TRUE(format::is_point(kind, format::kPoint));
  }
}

TEST(Event, a_try_acquires_the_lock_only_if_it_succeeds) {
  Event event;
  event.kind = EventKind::TryLock;
  EXPECT_FALSE(takes_lock(event));
  event.value = 1;
  EXPECT_TRUE(takes_lock(event));
  event.flags = format::kFailed;
  EXPECT_FALSE(takes_lock(event));
  event = {};
  event.kind = EventKind::Unlock;
  EXPECT_TRUE(gives_up_lock(event) && !takes_lock(event));
}

}  // namespace
}  // namespace heddle::trace
