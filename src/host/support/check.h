#pragma once
#include <cstdio>
#include <cstdlib>

// Checks for a programmer's error. Always on; prints the condition and its location, and aborts the process.
#define HEDDLE_CHECK(condition)                                                                      \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      std::fprintf(stderr, "heddle: internal error: %s at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                                  \
    }                                                                                                \
  } while (0)
