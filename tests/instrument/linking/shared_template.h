#pragma once
template <typename T>
__attribute__((noinline)) T bump(T* p) {
  return ++*p;
}
static __attribute__((noinline)) int local_read(int* p) {
  return *p;
}
