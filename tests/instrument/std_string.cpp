// std::string is compiled into the program, where its accesses are seen, and not taken from the library.
// RUN: %compile -std=c++17 -O2 %s | %FileCheck
// RUN: %compile -std=c++17 -O0 %s | %FileCheck
// RUN: %compile -std=c++20 -O2 %s | %FileCheck
#include <string>

// CHECK: define linkonce_odr {{.*}}_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm
// CHECK-NOT: declare {{.*}}_ZNSt7__cxx1112basic_string
void append(std::string& text, const char* more) { text.append(more); }
