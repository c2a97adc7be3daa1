// N accesses of one kind, as a communication graph sees them: what each costs is the difference between two lengths.
//
// usage: graph_accesses own-writes|own-reads|reads|fight N
// own-*: to words that the thread wrote last; reads: of words that a waiting thread wrote last; fight: each of two threads
// reads what the other wrote, N in all.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr long kWords = 512;

long words[2][kWords];
long accesses;
volatile long sink;

// Loops of one access an iteration: neither is left out, joined or made wider by the compiler.
[[gnu::noinline]] void write_words(long* target, long count) {
  for (long i = 0; i < count; ++i) {
    target[i % kWords] = i;
    asm volatile("" ::: "memory");
  }
}
[[gnu::noinline]] void read_words(const long* source, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += source[i % kWords];
    asm volatile("" ::: "memory");
  }
  sink = sum;
}

void* fight(void* self) {
  const long own = self == nullptr ? 0 : 1;
  write_words(words[own], kWords);
  read_words(words[1 - own], accesses / 2);
  return nullptr;
}

void* read_written(void*) {
  read_words(words[0], accesses);
  return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  const char* kind = count > 1 ? arguments[1] : "own-writes";
  accesses = count > 2 ? std::atol(arguments[2]) : 1000;
  if (std::strcmp(kind, "own-writes") == 0) {
    write_words(words[0], accesses);
  } else if (std::strcmp(kind, "own-reads") == 0) {
    write_words(words[0], kWords);
    read_words(words[0], accesses);
  } else if (std::strcmp(kind, "reads") == 0) {
    write_words(words[0], kWords);
    pthread_t reader;
    pthread_create(&reader, nullptr, read_written, nullptr);
    pthread_join(reader, nullptr);
  } else if (std::strcmp(kind, "fight") == 0) {
    pthread_t threads[2];
    pthread_create(&threads[0], nullptr, fight, nullptr);
    pthread_create(&threads[1], nullptr, fight, &threads);
    pthread_join(threads[0], nullptr);
    pthread_join(threads[1], nullptr);
  } else {
    std::fprintf(stderr, "graph_accesses: \"%s\" is not a kind of access; see the first lines of graph_accesses.cpp\n", kind);
    return 2;
  }
}
