// Deferred cancellation in C: cleanup handlers run in reverse order of pushing, popped ones do not,
// and the mutex of a condition wait is held when they do.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>

#include "expect.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
static sem_t started;
static char order[8];

static void note(void* name) { strcat(order, (const char*)name); }
static void unlock(void* locked) { EXPECT(pthread_mutex_unlock((pthread_mutex_t*)locked) == 0); }

static void* blocked(void* unused) {
  (void)unused;
  char first[] = "1";
  char second[] = "2";
  char third[] = "3";
  pthread_cleanup_push(note, first);
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  pthread_cleanup_push(note, second);
  pthread_cleanup_push(note, third);
  pthread_cleanup_pop(1);
  sem_post(&started);
  for (;;) pthread_cond_wait(&never_signalled, &mutex);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  sem_init(&started, 0, 0);
  for (int round = 0; round < 5; ++round) {
    order[0] = '\0';
    pthread_t thread;
    pthread_create(&thread, NULL, blocked, NULL);
    sem_wait(&started);
    EXPECT(pthread_cancel(thread) == 0);
    void* value = NULL;
    EXPECT(pthread_join(thread, &value) == 0);
    EXPECT(value == PTHREAD_CANCELED);
    EXPECT(strcmp(order, "321") == 0);
    EXPECT(pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
  }
  return finish();
}
