// Names, the attributes of a running thread, and stacks: its own, a given one, and the smallest.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <climits>
#include <cstdint>
#include <cstring>

#include "expect.h"

namespace {

struct Stack {
  void* begin;
  std::size_t size;

  bool contains(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto from = reinterpret_cast<std::uintptr_t>(begin);
    return at >= from && at < from + size;
  }
};

Stack stack_of_this_thread() {
  pthread_attr_t attributes;
  EXPECT(pthread_getattr_np(pthread_self(), &attributes) == 0);
  Stack stack;
  EXPECT(pthread_attr_getstack(&attributes, &stack.begin, &stack.size) == 0);
  pthread_attr_destroy(&attributes);
  return stack;
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int locked_times;

// Uses little stack, and a primitive at which threads switch.
void* runs_within(void* given) {
  char local = 1;
  const Stack stack = stack_of_this_thread();
  EXPECT(stack.contains(&local));
  if (given != nullptr) EXPECT(static_cast<const Stack*>(given)->contains(&local));
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&mutex);
    ++locked_times;
    pthread_mutex_unlock(&mutex);
    sched_yield();
  }
  return nullptr;
}

void names_are_kept() {
  EXPECT(pthread_setname_np(pthread_self(), "weaver") == 0);
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_setname_np(pthread_self(), "shuttle");
        sched_yield();
        char own[16];
        EXPECT(pthread_getname_np(pthread_self(), own, sizeof own) == 0);
        EXPECT(std::strcmp(own, "shuttle") == 0);
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
  char name[16];
  EXPECT(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  EXPECT(std::strcmp(name, "weaver") == 0);
}

void threads_run_on_given_stacks() {
  constexpr std::size_t kSize = 256 * 1024;
  Stack stacks[2];
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(memory != MAP_FAILED);
    stacks[i] = {memory, kSize};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    EXPECT(pthread_attr_setstack(&attributes, memory, kSize) == 0);
    EXPECT(pthread_create(&threads[i], &attributes, runs_within, &stacks[i]) == 0);
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], nullptr);
    EXPECT(munmap(stacks[i].begin, kSize) == 0);
  }
}

void threads_run_on_small_stacks() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT(pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(PTHREAD_STACK_MIN) + 8192) == 0);
  EXPECT(pthread_attr_setguardsize(&attributes, 4096) == 0);
  pthread_t threads[3];
  for (pthread_t& thread : threads) {
    EXPECT(pthread_create(&thread, &attributes, runs_within, nullptr) == 0);
  }
  pthread_attr_destroy(&attributes);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace

int main() {
  names_are_kept();
  runs_within(nullptr);
  threads_run_on_given_stacks();
  threads_run_on_small_stacks();
  EXPECT(locked_times == 6 * 20);
  return finish();
}
