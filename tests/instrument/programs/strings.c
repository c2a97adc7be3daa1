// The functions of libc that are announced as ranges, with the awkward arguments.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char buffer[256], other[256];
static const char* words[] = {"warp", "", "weft and shed", "x"};
static char unterminated[4] = {'a', 'b', 'c', 'd'};

static int format(char* to, size_t size, const char* text, ...) {
  va_list list;
  va_start(list, text);
  int length = vsnprintf(to, size, text, list);
  va_end(list);
  return length;
}

int main(int argc, char** argv) {
  (void)argv;
  const char* missing = argc > 5 ? "present" : NULL;
  for (int i = 0; i < 4; ++i) {
    strcpy(buffer, words[i]);
    strcat(buffer, "+");
    strncat(buffer, words[(i + 1) % 4], 3);
    strncpy(other, buffer, 9);
    int written = 0;
    sprintf(other + 20, "%s|%d|%n", buffer, i, &written);
    printf("%s %s %zu %d %d %p\n", buffer, other + 20, strlen(buffer), written, strcmp(buffer, other) > 0,
           (void*)memchr(buffer, '\n', strlen(buffer)));
    int length = snprintf(other, 6, "%s and %*d and %.2s", words[i], 6, i, "abc");
    printf("%s %d %.*s [%.4s] [%s]\n", other, length, 3, words[2], unterminated, missing);
  }
  printf("%d %d %d\n", strncmp(unterminated, "abcx", 3), memcmp(unterminated, "abce", 4),
         format(buffer, 8, "%s-%d", "list", 7));
  memset(other, 'z', 10);
  memmove(other + 2, other, 8);
  other[10] = 0;
  char* copy = strdup(other);
  printf("%s %s %ld %.2f %s\n", buffer, copy, strtol("42 apples", NULL, 10), atof("2.5"),
         strstr("threads and fibers", "and"));
  free(copy);
  fputs("done\n", stdout);
  fwrite("bytes\n", 1, 6, stdout);
}
