#pragma once
// One template instantiated in two translation units of the program and in a shared library: its
// function and its static data are merged into one of each.
#include <mutex>
#include <vector>

template <class Value>
struct Counted {
  static inline std::mutex mutex;
  static inline std::vector<Value> values;

  __attribute__((noinline)) static void add(Value value) {
    std::lock_guard guard(mutex);
    values.push_back(value);
  }
};

void add_in_program(int first, int count);
void add_in_library(int first, int count);
