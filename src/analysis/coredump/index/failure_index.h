#pragma once
// The execution index of the point of a crash, from the core alone (multicore dumps, section 3.2, Algorithm 1). Its
// entries are, from the outermost to the innermost: functions with their call sites, loops with their iteration counts,
// branches, and the statement.
//
// Differences from the paper: dependences are within one iteration (regions.h), so that a loop is one entry with a
// count instead of one entry per iteration; calls are points of their own; several predicates that aggregate are one
// entry that any of them matches.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binary/debug_info/debug_view.h"
#include "binary/sections/block_rows.h"
#include "binary/sections/machine_points.h"
#include "binary/sections/regions.h"

namespace heddle::coredump {

struct IndexEntry {
  enum class Kind : std::uint8_t { Function, Loop, Branch, Statement } kind = Kind::Function;
  std::string function;  // linkage name
  std::string source;
  std::uint32_t point = 0;                // Function: the call, in the calling function; Statement: the statement
  bool has_call = false;                  // Function: false for the outermost
  std::int32_t region = binary::kNoLoop;  // of the function, in which the entry is to be matched
  std::int32_t loop = binary::kNoLoop;    // Loop
  std::uint64_t count = 0;                // Loop: completed iterations
  bool count_known = true;
  std::vector<binary::Branch> branches;               // Branch: alternatives
  binary::Nesting nesting = binary::Nesting::Region;  // Branch: the rule that found it
  std::uint32_t line = 0;
};

struct FailureIndex {
  std::vector<IndexEntry> entries;
  // If set, alignment is by the number of points that the thread had passed, not by the entries (Table 5 of the paper).
  std::optional<std::uint64_t> point_count;
  std::vector<std::string> problems;
  // As the paper counts: a loop has one entry per iteration.
  std::uint64_t expanded_length() const;
  std::uint64_t length() const { return entries.size(); }
};

// The regions of a program's functions, computed on first use.
class ControlFlow {
 public:
  explicit ControlFlow(const binary::BlockTable& table) : table_(table) {}
  const binary::BlockTable& table() const { return table_; }
  binary::Regions& regions(const binary::FunctionRow& function);

 private:
  const binary::BlockTable& table_;
  std::map<const binary::FunctionRow*, std::unique_ptr<binary::Regions>> regions_;
};

// REQUIRES: all arguments are of one program. Fails if no frame of the stack has a block.
Result<FailureIndex> find_failure_index(const binary::DebugView& view, const std::vector<binary::StackFrame>& stack,
                                        ControlFlow& flow, const binary::MachinePoints& points);

}  // namespace heddle::coredump
