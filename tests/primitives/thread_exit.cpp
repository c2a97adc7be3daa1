// pthread_exit from a worker: its value reaches the joiner, and the destructors and cleanup
// handlers of every frame it leaves run, innermost first.
#include <pthread.h>

#include <string>

#include "expect.h"

namespace {

std::string left;

struct Frame {
  char name;
  ~Frame() { left += name; }
};

template <int kDepth>
void leave() {
  Frame frame{static_cast<char>('a' + kDepth)};
  if constexpr (kDepth < 3) {
    leave<kDepth + 1>();
  } else {
    pthread_exit(&left);
  }
}

void note_cleanup(void* name) { left += *static_cast<const char*>(name); }

void* worker(void*) {
  char name = 'Z';
  pthread_cleanup_push(note_cleanup, &name);
  leave<0>();
  pthread_cleanup_pop(0);
  return nullptr;
}

void* exits_at_once(void* value) { pthread_exit(value); }

}  // namespace

int main() {
  pthread_t thread;
  void* value = nullptr;
  pthread_create(&thread, nullptr, worker, nullptr);
  EXPECT(pthread_join(thread, &value) == 0);
  EXPECT(value == &left);
  EXPECT(left == "dcbaZ");

  for (int i = 0; i < 10; ++i) {
    pthread_create(&thread, nullptr, exits_at_once, &i);
    pthread_join(thread, &value);
    EXPECT(value == &i);
  }
  return finish();
}
