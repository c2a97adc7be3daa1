#include "shared_template.h"

long only_second = 7;

int second(int* p) {
  return bump(p) + static_cast<int>(bump(&only_second)) + local_read(p);
}
