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

}  // namespace

void remember_environment(char** environment) {
  rt.control.environment = environment;
}

const char* find_variable(const char* name) {
  if (rt.control.environment == nullptr) return nullptr;
  for (char** entry = rt.control.environment; *entry != nullptr; ++entry)
    if (const char* value = value_of(*entry, name); value != nullptr) return value;
  return nullptr;
}

const char* take_variable(const char* name) {
  if (rt.control.environment == nullptr) return nullptr;
  for (char** entry = rt.control.environment; *entry != nullptr; ++entry) {
    const char* value = value_of(*entry, name);
    if (value == nullptr) continue;
    for (char** rest = entry; *rest != nullptr; ++rest) rest[0] = rest[1];
    return value;
  }
  return nullptr;
}

void remove_own_preload() {
  if (rt.control.environment == nullptr) return;
  for (char** entry = rt.control.environment; *entry != nullptr; ++entry) {
    char* list = value_of(*entry, "LD_PRELOAD");
    if (list == nullptr) continue;
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
    if (out == list)
      for (char** rest = entry; *rest != nullptr; ++rest) rest[0] = rest[1];
    return;
  }
}

}  // namespace heddle::runtime
