#include "support/processors.h"

#include <sched.h>

namespace heddle {

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(static_cast<unsigned>(i), &allowed)) processors.push_back(i);
  }
  if (processors.empty()) processors.push_back(-1);
  return processors;
}

}  // namespace heddle
