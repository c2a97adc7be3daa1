#include "check_production/coverage.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "binary/debug_info/loop_counters.h"
#include "binary/elf_file.h"
#include "binary/sections/block_rows.h"
#include "binary/sections/machine_points.h"
#include "binary/sections/regions.h"

namespace heddle::verify {
namespace {

using binary::CounterRange;
using binary::FunctionCounters;
using binary::FunctionRow;
using binary::kNoLoop;

bool is_known_at(const std::vector<CounterRange>& ranges, const Instruction& instruction) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CounterRange& range) {
    return instruction.address >= range.begin && instruction.address < range.end &&
           (range.at_calls || instruction.kind != Instruction::Kind::Call);
  });
}

class Measurement {
 public:
  Measurement(const binary::BlockTable& table, const binary::MachinePoints& points,
              std::vector<FunctionCounters> functions, const std::map<std::string, std::vector<std::uint64_t>>& symbols)
      : table_(table), points_(points), functions_(std::move(functions)) {
    for (const auto& [name, addresses] : symbols)
      for (const std::uint64_t address : addresses) names_[address].push_back(name);
  }

  Coverage run(const std::vector<Instruction>& instructions) {
    for (const Instruction& instruction : instructions) take(instruction);
    for (const FunctionRow& row : table_.functions()) count_nestings(row);
    return std::move(coverage_);
  }

 private:
  const FunctionCounters* function_at(std::uint64_t address) const {
    const auto after =
        std::upper_bound(functions_.begin(), functions_.end(), address,
                         [](std::uint64_t value, const FunctionCounters& function) { return value < function.begin; });
    if (after == functions_.begin() || address >= std::prev(after)->end) return nullptr;
    return &*std::prev(after);
  }

  const FunctionRow* row_of(const FunctionCounters& function) {
    const auto [found, added] = rows_.try_emplace(function.counters.get(), nullptr);
    if (!added && found->second != nullptr) return found->second;
    const auto names = names_.find(function.begin);
    if (names == names_.end()) return found->second;
    for (const std::string& name : names->second)
      if (const FunctionRow* row = table_.find(name, function.source)) found->second = row;
    return found->second;
  }

  std::uint32_t number_of(const FunctionRow& row) {
    const auto [found, added] = numbers_.try_emplace(&row, static_cast<std::uint32_t>(coverage_.functions.size()));
    if (added) coverage_.functions.push_back({row.name, row.source, {}, {}, std::vector<LoopTally>(row.loops.size())});
    return found->second;
  }

  void take(const Instruction& instruction) {
    const FunctionCounters* function = function_at(instruction.address);
    const FunctionRow* row = function == nullptr ? nullptr : row_of(*function);
    if (row == nullptr) return;  // code without debug information, or code that the compiler added
    const bool is_call = instruction.kind == Instruction::Kind::Call;
    const std::uint32_t number = number_of(*row);
    const binary::MachinePoint found = points_.at(instruction.address);
    const std::optional<std::uint32_t> point = binary::choose_point(*row, found, is_call);
    coverage_.placed.push_back(
        {instruction, number, point ? static_cast<std::int64_t>(row->block_of(*point)) : -1, found.sure});
    FunctionTally& of_function = coverage_.functions[number];
    bool all_known = true;
    const std::int32_t innermost = point ? row->blocks[row->block_of(*point)].loop : kNoLoop;
    for (std::int32_t loop = innermost; loop != kNoLoop; loop = row->loops[static_cast<std::size_t>(loop)].parent) {
      const auto counter = function->counters->find(loop);
      const bool known = counter != function->counters->end() && is_known_at(counter->second, instruction);
      LoopTally& of_loop = of_function.loops[static_cast<std::size_t>(loop)];
      (is_call ? of_loop.calls : of_loop.accesses).count(known);
      all_known = all_known && known;
    }
    for (Tally* tally :
         {is_call ? &coverage_.calls : &coverage_.accesses, is_call ? &of_function.calls : &of_function.accesses}) {
      tally->mapped.count(point.has_value());
      if (innermost != kNoLoop) tally->counted.count(all_known);
    }
  }

  void count_nestings(const FunctionRow& row) {
    binary::Regions regions(row);
    for (std::uint32_t block = 0; block < row.blocks.size(); ++block) {
      const std::int32_t loop = row.blocks[block].loop;
      if (loop != kNoLoop && row.loops[static_cast<std::size_t>(loop)].header == block) {
        ++coverage_.nestings.loop;
        continue;
      }
      switch (binary::find_parent(regions, loop, block).nesting) {
        case binary::Nesting::Region:
          ++(loop == kNoLoop ? coverage_.nestings.none : coverage_.nestings.single);
          break;
        case binary::Nesting::Single:
          ++coverage_.nestings.single;
          break;
        case binary::Nesting::Aggregated:
          ++coverage_.nestings.aggregated;
          break;
        case binary::Nesting::Ancestor:
          ++coverage_.nestings.not_aggregated;
          break;
      }
    }
  }

  const binary::BlockTable& table_;
  const binary::MachinePoints& points_;
  std::vector<FunctionCounters> functions_;
  std::map<std::uint64_t, std::vector<std::string>> names_;
  std::map<const void*, const FunctionRow*> rows_;
  std::map<const FunctionRow*, std::uint32_t> numbers_;
  Coverage coverage_;
};

}  // namespace

Result<Coverage> measure_coverage(const std::string& program) {
  const Result<binary::BlockTable> table = binary::BlockTable::read(program, "HEDDLE_BUILD=production heddle-c++");
  if (!table) return table.error();
  const Result<binary::MachinePoints> points = binary::MachinePoints::read(program);
  if (!points) return points.error();
  Result<std::vector<FunctionCounters>> functions = binary::read_loop_counters(program);
  if (!functions) return functions.error();
  const Result<binary::ElfFile> file = binary::ElfFile::open(program);
  if (!file) return file.error();
  const Result<std::vector<Instruction>> instructions = find_instructions(program);
  if (!instructions) return instructions.error();
  return Measurement(*table, *points, std::move(*functions), file->function_addresses()).run(*instructions);
}

}  // namespace heddle::verify
