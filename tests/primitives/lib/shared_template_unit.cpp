#include "counted.h"

void add_in_program(int first, int count) {
  for (int i = 0; i < count; ++i) Counted<int>::add(first + i);
}
