// The loader's lock: a constructor that waits inside dlopen, others that want to load or look at
// loaded objects meanwhile, and a dl_iterate_phdr callback that lets other threads run.
#include <dlfcn.h>
#include <link.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "expect.h"
#include "lib/meeting.h"

sem_t constructor_entered;
sem_t constructor_may_leave;

namespace {

int count_and_yield(dl_phdr_info* info, std::size_t, void* count) {
  EXPECT(info->dlpi_phnum > 0);
  sched_yield();
  ++*static_cast<int*>(count);
  return 0;
}

int loaded_objects() {
  int count = 0;
  EXPECT(dl_iterate_phdr(count_and_yield, &count) == 0);
  return count;
}

void a_constructor_waits_for_another_thread() {
  sem_init(&constructor_entered, 0, 0);
  sem_init(&constructor_may_leave, 0, 0);
  std::thread answering([] {
    sem_wait(&constructor_entered);
    sem_post(&constructor_may_leave);
  });
  std::thread also_loading([] {
    void* library = dlopen("libm.so.6", RTLD_NOW);
    EXPECT(library != nullptr);
    EXPECT(dlsym(library, "cos") != nullptr);
    EXPECT(dlclose(library) == 0);
  });
  void* library = dlopen(PRIM_MEETING_CONSTRUCTOR, RTLD_NOW);
  EXPECT(library != nullptr);
  answering.join();
  also_loading.join();
  int (*meeting_value)();
  void* symbol = dlsym(library, "meeting_value");
  EXPECT(symbol != nullptr);
  std::memcpy(&meeting_value, &symbol, sizeof symbol);
  EXPECT(meeting_value() == 17);
}

void callbacks_may_switch() {
  const int expected = loaded_objects();
  std::thread first([&] { EXPECT(loaded_objects() == expected); });
  std::thread second([&] { EXPECT(loaded_objects() == expected); });
  EXPECT(loaded_objects() == expected);
  first.join();
  second.join();
}

}  // namespace

int main() {
  a_constructor_waits_for_another_thread();
  callbacks_may_switch();
  return finish();
}
