#pragma once
// What every primitive program uses: a violated property ends the program at once with one line on
// stderr and exit code 1, from whichever thread; a program that reaches its end prints "ok". Plain
// C, as some programs are.
#include <stdio.h>
#include <unistd.h>

static inline void expect_failed(const char* file, int line, const char* property) {
  dprintf(STDERR_FILENO, "%s:%d: violated: %s\n", file, line, property);
  _exit(1);
}

#define EXPECT(property)                                           \
  do {                                                             \
    if (!(property)) expect_failed(__FILE__, __LINE__, #property); \
  } while (0)

static inline int finish(void) {
  puts("ok");
  return 0;
}
