// Linked only into programs whose production build counts points (HEDDLE_POINT_COUNT).
#include <stdint.h>

__thread uint64_t __heddle_points __attribute__((visibility("hidden")));
