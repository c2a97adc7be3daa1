#include "counter.h"

namespace {
int the_count = 0;
}

void count_up() { ++the_count; }
int count() { return the_count; }
