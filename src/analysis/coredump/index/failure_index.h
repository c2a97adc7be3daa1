#pragma once
// The execution index of the point at which a program crashed, from its core alone (multicore dumps, section 3.2,
// Algorithm 1). From the outermost to the innermost: functions with their call sites, loops with how often they were
// begun again, branches, and the statement.
//
// Where this differs from the paper: dependences are those within one iteration (regions.h), so that a loop is one
// entry with a count instead of a string of equal entries; calls are points of their own; several predicates that
// aggregate are one entry that any of them fulfils.
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
  std::uint32_t point = 0;                // Function: of the call, in the function before; Statement: itself
  bool has_call = false;                  // Function: false for the outermost
  std::int32_t region = binary::kNoLoop;  // in which it is looked for, within its function
  std::int32_t loop = binary::kNoLoop;    // Loop
  std::uint64_t count = 0;                // Loop: begun again so often; the iteration under way is count + 1
  bool count_known = true;
  std::vector<binary::Branch> branches;               // Branch: any of them
  binary::Nesting nesting = binary::Nesting::Region;  // Branch: how it was found
  std::uint32_t line = 0;
};

struct FailureIndex {
  std::vector<IndexEntry> entries;
  // Instead of by the entries the point is looked for by how many points the thread had come to (Table 5 of the paper).
  std::optional<std::uint64_t> point_count;
  std::vector<std::string> problems;
  // As the paper counts: a loop stands for as many entries as it had iterations; and counted once.
  std::uint64_t expanded_length() const;
  std::uint64_t length() const { return entries.size(); }
};

// The parts of a program that an index speaks of, and its control flow.
class ControlFlow {
 public:
  explicit ControlFlow(const binary::BlockTable& table) : table_(table) {}
  const binary::BlockTable& table() const { return table_; }
  binary::Regions& regions(const binary::FunctionRow& function);

 private:
  const binary::BlockTable& table_;
  std::map<const binary::FunctionRow*, std::unique_ptr<binary::Regions>> regions_;
};

// REQUIRES: all are of one program. Fails when no frame of the stack has a block.
Result<FailureIndex> find_failure_index(const binary::DebugView& view, const std::vector<binary::StackFrame>& stack,
                                        ControlFlow& flow, const binary::MachinePoints& points);

}  // namespace heddle::coredump
