// thread_local objects and pthread keys: destroyed on their own thread, objects in reverse order of
// construction and before the keys; a key set again in its destructor is destroyed again.
#include <pthread.h>

#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::vector<std::string> records(4);
pthread_key_t key;
pthread_key_t reviving_key;

// What a thread writes to; the objects and keys that it destroys must find it their own.
thread_local std::string* record;
thread_local pthread_t owner;

struct Local {
  char name;
  explicit Local(char n) : name(n) {}
  ~Local() {
    EXPECT(pthread_equal(owner, pthread_self()));
    *record += name;
  }
};

thread_local Local first('1');
thread_local Local second('2');

struct Revival {
  int left;
};

void destroy_value(void* value) {
  EXPECT(pthread_equal(owner, pthread_self()));
  EXPECT(pthread_getspecific(key) == nullptr);
  *record += *static_cast<char*>(value);
  delete static_cast<char*>(value);
}

void destroy_or_revive(void* value) {
  auto* revival = static_cast<Revival*>(value);
  *record += 'r';
  if (--revival->left > 0) {
    pthread_setspecific(reviving_key, revival);
  } else {
    delete revival;
  }
}

void use_locals(std::size_t index) {
  record = &records[index];
  owner = pthread_self();
  EXPECT(first.name == '1');
  first.name = static_cast<char>('a' + index);
  std::this_thread::yield();
  EXPECT(second.name == '2');
  pthread_setspecific(key, new char('k'));
  pthread_setspecific(reviving_key, new Revival{3});
  std::this_thread::yield();
  EXPECT(first.name == static_cast<char>('a' + index));
  EXPECT(*static_cast<char*>(pthread_getspecific(key)) == 'k');
}

void a_deleted_key_is_not_destroyed() {
  pthread_key_t doomed;
  static bool destroyed = false;
  pthread_key_create(&doomed, [](void*) { destroyed = true; });
  std::thread([&] {
    pthread_setspecific(doomed, &doomed);
    pthread_key_delete(doomed);
  }).join();
  EXPECT(!destroyed);
}

}  // namespace

int main() {
  EXPECT(pthread_key_create(&key, destroy_value) == 0);
  EXPECT(pthread_key_create(&reviving_key, destroy_or_revive) == 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < records.size(); ++i) threads.emplace_back(use_locals, i);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT(records[i] == std::string("2") + static_cast<char>('a' + i) + "krrr");
  }
  a_deleted_key_is_not_destroyed();
  // main's own objects are destroyed when it returns and need a record, too.
  static std::string of_main;
  record = &of_main;
  owner = pthread_self();
  return finish();
}
