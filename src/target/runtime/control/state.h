#pragma once
// The program as it was started and loaded. All runs of a process share this state.
#include <cstddef>
#include <cstdint>

#include "abi/hooks.h"
#include "format/run_result.h"
#include "runtime/memory/arena.h"
#include "runtime/os/dispatch.h"

namespace heddle::runtime {

struct SiteModule {
  HeddleSite* begin;
  HeddleSite* end;
  std::uint8_t* armed_begin;
  std::uint8_t* armed_end;
  std::uint32_t first_site;
};

struct ControlState {
  char** environment;  // as the kernel handed it over
  int (*program_main)(int, char**, char**);
  int argument_count;
  char** arguments;
  int main_result;

  GrowingArray<SiteModule> site_modules;
  std::uint32_t sites_seen;

  GrowingArray<const void*> destroyed_in_use;  // primitives, while a graph is made
};

struct SanitizerState {
  // The module that contains the sanitizer's runtime: the program's executable, or a library.
  std::uint64_t code_begin, code_end;
  char message[sizeof format::SessionResult::message];
  SavedControl control;  // while it reports
  bool reporting;
  void* fake_stack_of_main;
  const void* first_stack;
  std::size_t first_stack_size;
};

}  // namespace heddle::runtime
