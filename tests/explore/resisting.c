// Programs that do not end: a loop at sites that are not armed, a loop that polls, a wait for the outside world. They
// begin to resist only if the file of the second argument exists; otherwise an assertion of one thread can fail. The
// file of the third argument is made when the resistance begins. "slow": ends after much work. "guard": a long
// time-out.
#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int shared;
static int own;
static int stopped;
static const char* mode;
static const char* begun;

static void announce(void) {
  if (begun != NULL) close(open(begun, O_CREAT | O_WRONLY, 0600));
}

static void* loop(void* unused) {
  announce();
  for (volatile int* counter = &own;;) ++*counter;
  return unused;
}

static void* poll_flag(void* unused) {
  announce();
  while (__atomic_load_n(&stopped, __ATOMIC_ACQUIRE) == 0) usleep(1000);
  return unused;
}

static void* wait_outside(void* unused) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 1) != 0) abort();
  announce();
  accept(listener, NULL, NULL);
  return unused;
}

static void* add(void* unused) {
  const int before = __atomic_load_n(&shared, __ATOMIC_RELAXED);
  __atomic_store_n(&shared, before + 1, __ATOMIC_RELAXED);
  return unused;
}

static void* work(void* rounds) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < (unsigned long)atoi(rounds) * 1000000; ++i) sum += i;
  return NULL;
}

static void guard(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 5;
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&never, &mutex, &end);
  pthread_mutex_unlock(&mutex);
}

int main(int count, char** arguments) {
  mode = count > 1 ? arguments[1] : "";
  begun = count > 3 ? arguments[3] : NULL;
  void* (*run)(void*) = add;
  void* argument = NULL;
  if (count > 2 && access(arguments[2], F_OK) == 0) {
    run = strcmp(mode, "loop") == 0 ? loop : strcmp(mode, "poll") == 0 ? poll_flag : wait_outside;
  } else if (strcmp(mode, "slow") == 0) {
    run = work;
    argument = arguments[2];
  }
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, i == 0 ? run : add, argument);
  if (strcmp(mode, "guard") == 0) guard();
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (run == add && strcmp(mode, "guard") != 0) assert(shared == 2);
  return 0;
}
