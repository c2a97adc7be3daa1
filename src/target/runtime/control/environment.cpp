#include "runtime/control/environment.h"

#include <cstddef>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

// The value if `entry` is NAME=value.
char* value_of(char* entry, const char* name) {
  while (*name != 0 && *entry == *name) ++entry, ++name;
  return *name == 0 && *entry == '=' ? entry + 1 : nullptr;
}

bool contains(const char* text, std::size_t size, const char* word) {
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t j = 0;
    while (word[j] != 0 && i + j < size && text[i + j] == word[j]) ++j;
    if (word[j] == 0) return true;
  }
  return false;
}

char** find_entry(const char* name) {
  for (char** entry = rt.control.environment; entry != nullptr && *entry != nullptr; ++entry)
    if (value_of(*entry, name) != nullptr) return entry;
  return nullptr;
}

void remove(char** entry) {
  for (; *entry != nullptr; ++entry) entry[0] = entry[1];
}

}  // namespace

void remember_environment(char** environment) { rt.control.environment = environment; }

const char* find_variable(const char* name) {
  char** entry = find_entry(name);
  return entry == nullptr ? nullptr : value_of(*entry, name);
}

const char* take_variable(const char* name) {
  const char* value = find_variable(name);
  if (value != nullptr) remove(find_entry(name));
  return value;
}

void remove_own_preload() {
  char** entry = find_entry("LD_PRELOAD");
  if (entry == nullptr) return;
  char* list = value_of(*entry, "LD_PRELOAD");
  char* out = list;
  for (char* item = list; *item != 0;) {
    std::size_t size = 0;
    while (item[size] != 0 && item[size] != ':' && item[size] != ' ') ++size;
    if (!contains(item, size, "libheddle_rt.so")) {
      if (out != list) *out++ = ':';
      for (std::size_t i = 0; i < size; ++i) *out++ = item[i];
    }
    item += size;
    if (*item != 0) ++item;
  }
  *out = 0;
  if (out == list) remove(entry);
}

}  // namespace heddle::runtime
