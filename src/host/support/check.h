#pragma once
#include <cstdio>
#include <cstdlib>

// A programmer's error: always on, says where, ends the process.
#define HEDDLE_CHECK(condition)                                                                      \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      std::fprintf(stderr, "heddle: internal error: %s at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                                  \
    }                                                                                                \
  } while (0)
