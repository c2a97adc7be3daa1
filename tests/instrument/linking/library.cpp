#include "shared_template.h"

extern "C" int library(int* p) {
  return bump(p) + local_read(p);
}
