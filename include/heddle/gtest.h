// HEDDLE_TEST(Suite, Name) { body } is a GoogleTest test whose body runs under many schedules in one process: see
// heddle/schedules.h.
#ifndef HEDDLE_GTEST_H
#define HEDDLE_GTEST_H

#include <gtest/gtest.h>
#include <heddle/schedules.h>

#define HEDDLE_TEST(suite, name)                                                        \
  static void heddle_body_##suite##_##name();                                           \
  TEST(suite, name) {                                                                   \
    for (heddle::Schedules schedules; schedules.next(::testing::Test::HasFailure());) { \
      heddle_body_##suite##_##name();                                                   \
    }                                                                                   \
  }                                                                                     \
  static void heddle_body_##suite##_##name()

#endif
