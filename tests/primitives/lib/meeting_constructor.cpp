// A library whose constructor meets another thread: while dlopen holds the loader's lock, it lets
// that thread continue and waits for its answer.
#include <semaphore.h>

#include "meeting.h"

__attribute__((constructor)) static void meet() {
  sem_post(&constructor_entered);
  sem_wait(&constructor_may_leave);
}

extern "C" int meeting_value() { return 17; }
