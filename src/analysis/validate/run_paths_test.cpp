#include "validate/run_paths.h"

#include <gtest/gtest.h>

namespace heddle::validate {
namespace {

using format::EventKind;

TEST(RunPaths, the_interleaving_of_threads_does_not_matter) {
  PathRecorder one, other;
  one.add(1, 10, EventKind::Read);
  one.add(2, 20, EventKind::Write);
  other.add(2, 20, EventKind::Write);
  other.add(1, 10, EventKind::Read);
  EXPECT_EQ(one.take().signature, other.take().signature);
}

TEST(RunPaths, the_same_site_in_another_thread_is_new) {
  PathRecorder one, other;
  one.add(1, 10, EventKind::Read);
  one.add(1, 11, EventKind::Read);
  other.add(1, 10, EventKind::Read);
  other.add(2, 10, EventKind::Read);
  KnownPaths known;
  known.add(one.take());
  const RunPaths paths = other.take();
  EXPECT_FALSE(known.has(paths.signature));
  EXPECT_EQ(known.novelty(paths), 1u);
}

TEST(RunPaths, another_loop_iteration_is_another_run_without_new_steps) {
  PathRecorder twice, thrice;
  for (int i = 0; i < 3; ++i) {
    if (i < 2) twice.add(1, 10, EventKind::Read);
    thrice.add(1, 10, EventKind::Read);
  }
  KnownPaths known;
  known.add(twice.take());
  const RunPaths paths = thrice.take();
  EXPECT_FALSE(known.has(paths.signature));
  EXPECT_EQ(known.novelty(paths), 0u);
}

TEST(RunPaths, numbers_of_call_sites_do_not_matter) {
  PathRecorder one, other;
  one.add(1, format::kFirstCallSite, EventKind::Lock);
  other.add(1, format::kFirstCallSite + 7, EventKind::Lock);
  EXPECT_EQ(one.take().signature, other.take().signature);
}

}  // namespace
}  // namespace heddle::validate
