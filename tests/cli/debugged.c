// Writes what it was started with to the file that its first argument names, each string with its zero: arguments,
// directory, a line of stdin, environment. Then two threads lose an update, in some orders: the lock is given up in
// between. With a second argument "return" its exit code says so.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void put(FILE* report, const char* text) { fwrite(text, 1, strlen(text) + 1, report); }

static void write_report(int count, char** arguments) {
  char text[4096];
  FILE* report = fopen(arguments[1], "w");
  assert(report != NULL);
  for (int i = 0; i < count; ++i) put(report, arguments[i]);
  put(report, getcwd(text, sizeof text) != NULL ? text : "");
  put(report, fgets(text, sizeof text, stdin) != NULL ? text : "");
  for (char** entry = environ; *entry != NULL; ++entry) put(report, *entry);
  fclose(report);
}

static int locked_read(void) {
  pthread_mutex_lock(&lock);
  const int value = counter;
  pthread_mutex_unlock(&lock);
  return value;
}

static void* count(void* unused) {
  (void)unused;
  const int value = locked_read();
  pthread_mutex_lock(&lock);
  counter = value + 1;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argument_count, char** arguments) {
  pthread_t threads[2];
  write_report(argument_count, arguments);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (argument_count > 2 && strcmp(arguments[2], "return") == 0) return counter == 2 ? 0 : 3;
  assert(counter == 2);
  return 0;
}
