#pragma once
// Compares two images of one program variable by variable, by reference path (multicore dumps, section 4). The paths
// start at global variables, the failing thread's thread-local variables and the locals of both stacks.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/debug_info/debug_view.h"
#include "binary/debug_info/type_table.h"

namespace heddle::binary {

struct Difference {
  std::string path;                   // "table.head->next->count"
  std::string what;                   // value, null, size, type, function, bytes, lock, string, unreadable
  std::uint64_t failing_address = 0;  // 0: in a register
  std::uint64_t passing_address = 0;
  std::uint64_t size = 0;
};

struct ComparisonReport {
  std::uint64_t variables = 0;  // primitive variables of both images, each counted once
  std::uint64_t objects = 0;
  std::uint64_t differences = 0;  // may exceed list.size(), which is limited
  std::vector<Difference> list;
  std::uint64_t shared = 0;      // variables in shared memory
  std::uint64_t unreadable = 0;  // objects that one image lacks
};

struct ThreadStack {
  std::uint64_t descent = 0;
  std::vector<StackFrame> frames;
};
inline constexpr std::size_t kThreadsUnwound = 256;  // bounds the time for a core with thousands of threads
// Stacks of all threads but the first whose descent is known.
std::vector<ThreadStack> unwind_others(DebugView& view);

struct ComparedStack {
  DebugView& view;
  const std::vector<StackFrame>& frames;  // of the failing thread
  const std::vector<ThreadStack>& others;
};

struct WalkedVariable {
  std::string path;  // a repeated path gets a number: "list->key#2"
  const std::string& type;
  std::uint64_t address = 0;  // 0: in a register
  std::uint64_t size = 0;
  std::string_view value;  // as compared: bytes; for a pointer whether it is null; for a function its name
};

// Visits the variables that compare() compares, in the same order.
void walk(ComparedStack stack, const std::function<void(const WalkedVariable&)>& visit);

// Compares the locals of the frames that both stacks have in common, counted from the outermost frame. For the other
// threads it skips scalar locals: in C++ a shared object often lies in main's frame, and the failing thread only has an
// optimised-out reference to it. (The paper compares no locals of other threads.)
// `is_shared`: true if several threads access the memory in the passing image; may be empty.
using SharedTest = std::function<bool(std::uint64_t address, std::uint64_t size)>;
ComparisonReport compare(ComparedStack failing, ComparedStack passing, const SharedTest& is_shared);

}  // namespace heddle::binary
