#pragma once
// Two images of one program compared variable by variable, in lockstep, by reference path (multicore dumps, section 4):
// from global variables, the failing thread's own ones and the locals of its failing frame through all that they lead to.
#include <cstdint>
#include <string>
#include <vector>

#include "coredump/debug_view.h"
#include "coredump/type_table.h"

namespace heddle::coredump {

struct Difference {
  std::string path;  // "table.head->next->count"
  std::string what;  // value, null, size, type, function, missing ...
  std::uint64_t failing_address = 0;  // 0: it is in a register
  std::uint64_t passing_address = 0;
  std::uint64_t size = 0;
};

struct ComparedVariable {
  std::uint64_t passing_address;
  std::uint32_t size;
};

struct ComparisonReport {
  std::uint64_t variables = 0;    // primitive ones that both sides have, each once
  std::uint64_t objects = 0;
  std::uint64_t differences = 0;  // also those beyond what is listed
  std::vector<Difference> list;
  std::vector<ComparedVariable> compared;  // where they lie in the passing image, by address
  std::uint64_t unreadable = 0;   // objects that one side does not have
};

struct ComparedStack {
  DebugView& view;
  const std::vector<StackFrame>& frames;
};

// Locals are compared of the frames that both stacks have, from the outermost on as long as they are of the same functions.
ComparisonReport compare(ComparedStack failing, ComparedStack passing);

}  // namespace heddle::coredump
