#include "shared_template.h"

int only_first[4] = {1, 2, 3, 4};

int first(int* p) {
  return bump(p) + only_first[*p & 3] + local_read(p);
}
int never_called(int* p) {
  return *p * 2;
}
