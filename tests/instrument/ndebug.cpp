// Each object says which source file it is of, and whether NDEBUG was defined: as <assert.h> saw it last, or without
// that as the standard library's headers did. Nothing else of it is left in the module.
// RUN: %compile -O1 %s | %FileCheck --check-prefix=CHECKED
// RUN: %compile -O1 -DNDEBUG %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O0 -DNDEBUG %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O1 -g0 -DNDEBUG %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O1 -DDEFINE %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O1 -DNDEBUG -DUNDEFINE %s | %FileCheck --check-prefix=CHECKED
// RUN: %compile -O1 -DNDEBUG -DUNDEFINE -DDEFINE_AGAIN %s | %FileCheck --check-prefix=OUT
// RUN: %compile -O1 -DNDEBUG -DWITHOUT_ASSERT %s | %FileCheck --check-prefix=OUT
// RUN: %clang -E -isystem %prelude -DNDEBUG -x c++ %s -o %t.ii
// RUN: %compile -O1 -x c++-cpp-output %t.ii | %FileCheck --check-prefix=OUT

// CHECKED-NOT: heddle NDEBUG
// CHECKED: @heddle.unit = private constant {{.*}}c"c{{[^"]*}}ndebug.cpp\00", section "heddle_units"
// CHECKED-NOT: heddle NDEBUG
// OUT: module asm "# the program's own"
// OUT-NOT: module asm
// OUT: @heddle.unit = private constant {{.*}}c"n{{[^"]*}}ndebug.cpp\00", section "heddle_units"
// OUT: @llvm.used = {{.*}}@heddle.unit
#include <vector>
#ifdef DEFINE
#define NDEBUG
#endif
#ifdef UNDEFINE
#include <cassert>
#undef NDEBUG
#endif
#ifndef WITHOUT_ASSERT
#include <cassert>
#endif
#ifdef DEFINE_AGAIN
#define NDEBUG
#include <cassert>
#endif
__asm__("# the program's own");

int size(const std::vector<int>& elements) {
  return static_cast<int>(elements.size());
}
