#include "trace/sharing/held_locks.h"

#include <gtest/gtest.h>

#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

HeldLocks after(const std::vector<std::string>& lines) {
  HeldLocks locks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Result<Event> event = parse_event_text(lines[i]);
    EXPECT_TRUE(event.ok()) << lines[i];
    if (event) locks.add(*event, i);
  }
  return locks;
}

TEST(HeldLocks, holds_a_recursive_lock_until_its_last_release) {
  const HeldLocks locks = after({"0 t1 lock 0x10", "1 t1 read_lock 0x20", "2 t1 lock 0x10", "3 t1 unlock 0x10"});
  ASSERT_EQ(locks.of(ThreadId{1}).size(), 2u);
  EXPECT_EQ(locks.of(ThreadId{1})[0].object, 0x10u);
  EXPECT_EQ(locks.of(ThreadId{1})[0].since, 0u);
  EXPECT_TRUE(locks.of(ThreadId{1})[1].shared);
  EXPECT_TRUE(locks.of(ThreadId{2}).empty());
}

TEST(HeldLocks, holds_no_lock_after_a_failed_try) {
  const HeldLocks locks =
      after({"0 t0 try_lock 0x10 value=0x0", "1 t0 try_read_lock 0x20", "2 t0 try_lock 0x30 value=0x1"});
  ASSERT_EQ(locks.of(kMainThread).size(), 1u);
  EXPECT_EQ(locks.of(kMainThread)[0].object, 0x30u);
}

}  // namespace
}  // namespace heddle::trace
