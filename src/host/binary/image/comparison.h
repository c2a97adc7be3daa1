#pragma once
// Two images of one program compared variable by variable, in lockstep, by reference path (multicore dumps, section 4):
// from global variables, the failing thread's own ones and the locals of its failing frame through all that they lead
// to.
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
  std::string what;                   // value, null, size, type, function, missing ...
  std::uint64_t failing_address = 0;  // 0: it is in a register
  std::uint64_t passing_address = 0;
  std::uint64_t size = 0;
};

struct ComparisonReport {
  std::uint64_t variables = 0;  // primitive ones that both sides have, each once
  std::uint64_t objects = 0;
  std::uint64_t differences = 0;  // also those beyond what is listed
  std::vector<Difference> list;
  std::uint64_t shared = 0;      // of the variables
  std::uint64_t unreadable = 0;  // objects that one side does not have
};

struct ThreadStack {
  std::uint64_t descent = 0;
  std::vector<StackFrame> frames;
};
inline constexpr std::size_t kThreadsUnwound = 256;  // of more nobody asks for the stacks
// Of all threads but the first, as far as their names are known.
std::vector<ThreadStack> unwind_others(DebugView& view);

struct ComparedStack {
  DebugView& view;
  const std::vector<StackFrame>& frames;  // of the failing thread
  const std::vector<ThreadStack>& others;
};

// One variable that a walk comes to.
struct WalkedVariable {
  std::string path;  // of several with one path the later ones are numbered: "list->key#2"
  const std::string& type;
  std::uint64_t address = 0;  // 0: it is in a register
  std::uint64_t size = 0;
  std::string_view value;  // what is compared of it: bytes; of a pointer whether it is null; of a function its name
};

// Comes to all that compare() would, and in the same order.
void walk(ComparedStack stack, const std::function<void(const WalkedVariable&)>& visit);

// Locals are compared of the frames that both stacks have, from the outermost on as long as they are of the same
// functions. Of the other threads' locals only objects and what pointers lead to: in C++ what threads share is often an
// object in main's frame, of which the failing thread has no more than an optimised-out reference. (The paper leaves
// them out.) `is_shared`: whether several threads access the memory in the passing image; may be empty.
using SharedTest = std::function<bool(std::uint64_t address, std::uint64_t size)>;
ComparisonReport compare(ComparedStack failing, ComparedStack passing, const SharedTest& is_shared);

}  // namespace heddle::binary
