// A thread that waits inside libc, in fgets on an empty pipe, is cancelled there; its cleanup handler runs, and the
// stream is unlocked again.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "expect.h"

static FILE* stream;
static int cleaned_up;

static void clean_up(void* argument) {
  (void)argument;
  cleaned_up = 1;
}

static void* read_a_line(void* argument) {
  char line[16];
  pthread_cleanup_push(clean_up, NULL);
  EXPECT(fgets(line, sizeof line, stream) == NULL);
  pthread_cleanup_pop(0);
  return argument;
}

int main(void) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  stream = fdopen(ends[0], "r");
  pthread_t reader;
  EXPECT(pthread_create(&reader, NULL, read_a_line, NULL) == 0);
  for (int i = 0; i < 20; ++i) sched_yield();
  EXPECT(pthread_cancel(reader) == 0);
  void* result = NULL;
  EXPECT(pthread_join(reader, &result) == 0);
  EXPECT(result == PTHREAD_CANCELED);
  EXPECT(cleaned_up);
  EXPECT(ftrylockfile(stream) == 0);
  return finish();
}
