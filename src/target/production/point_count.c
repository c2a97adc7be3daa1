// Linked only into production builds that count points (HEDDLE_POINT_COUNT in abi/blocks.h).
#include <stdint.h>

__thread uint64_t __heddle_points __attribute__((visibility("hidden")));
