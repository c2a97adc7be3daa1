// Two workers whose scheduling points can be counted: `counted KIND N`. separate: N updates, each worker its own
// variable; common: N updates of one variable; locked: N times a lock and its release.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int common;
static _Atomic int separate[2][16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char* kind;
static int count;

static void* work(void* argument) {
  const long self = (long)argument;
  const int times = count;
  if (kind[0] == 's') {
    for (int i = 0; i < times; ++i) atomic_fetch_add(&separate[self][0], 1);
  } else if (kind[0] == 'c') {
    for (int i = 0; i < times; ++i) atomic_fetch_add(&common, 1);
  } else {
    for (int i = 0; i < times; ++i) {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  kind = argv[1];
  count = atoi(argv[2]);
  pthread_t first, second;
  pthread_create(&first, NULL, work, (void*)0);
  pthread_create(&second, NULL, work, (void*)1);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
