#include "check_production/coverage.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "abi/blocks.h"
#include "coredump/index/failure_index.h"
#include "binary/debug_info/location.h"
#include "binary/elf_file.h"
#include "support/unique_fd.h"

namespace heddle::verify {
namespace {

using binary::FunctionRow;
using binary::kNoLoop;

struct Range {
  std::uint64_t begin, end;
  bool at_calls;  // also valid in a frame that is not the innermost one
};

// A function of the machine code: its addresses, and the address ranges in which the counter of each loop has a
// location.
struct MachineFunction {
  std::uint64_t begin = 0, end = 0;
  std::string source;
  std::shared_ptr<std::map<std::int32_t, std::vector<Range>>> counters;  // shared by the parts of a split function
};

std::string text_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  const char* text =
      dwarf_attr_integrate(die, name, &attribute) != nullptr ? dwarf_formstring(&attribute) : nullptr;
  return text != nullptr ? text : "";
}

std::vector<Range> locations_of(Dwarf_Die* variable) {
  std::vector<Range> ranges;
  Dwarf_Attribute attribute;
  if (dwarf_attr(variable, DW_AT_const_value, &attribute) != nullptr) return {{0, ~std::uint64_t{0}, true}};
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return ranges;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_getlocations(&attribute, at, &base, &begin, &end, &operations, &count)) > 0;)
    if (binary::can_evaluate(operations, count, false))
      ranges.push_back({begin, end, binary::can_evaluate(operations, count, true)});
  return ranges;
}

void add_function(Dwarf_Die* die, const std::string& source, std::vector<MachineFunction>& functions) {
  auto counters = std::make_shared<std::map<std::int32_t, std::vector<Range>>>();
  const std::string prefix = HEDDLE_LOOP_COUNTER;
  Dwarf_Die child;
  if (dwarf_child(die, &child) == 0) do {
      const std::string name = text_attribute(&child, DW_AT_name);
      if (dwarf_tag(&child) != DW_TAG_variable || !name.starts_with(prefix)) continue;
      std::vector<Range>& ranges = (*counters)[std::atoi(name.c_str() + prefix.size())];
      for (const Range& range : locations_of(&child)) ranges.push_back(range);
    } while (dwarf_siblingof(&child, &child) == 0);
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;)
    functions.push_back({begin, end, source, counters});
}

void add_functions(Dwarf_Die* parent, const std::string& source, std::vector<MachineFunction>& functions) {
  Dwarf_Die die;
  if (dwarf_child(parent, &die) != 0) return;
  do {
    if (dwarf_tag(&die) == DW_TAG_subprogram) add_function(&die, source, functions);
    if (dwarf_tag(&die) == DW_TAG_namespace) add_functions(&die, source, functions);
  } while (dwarf_siblingof(&die, &die) == 0);
}

Result<std::vector<MachineFunction>> read_functions(const std::string& program) {
  const UniqueFd file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  Dwarf* dwarf = file.valid() ? dwarf_begin(file.get(), DWARF_C_READ) : nullptr;
  if (dwarf == nullptr) return Error{program + " has no debug information; verify the unstripped file of the build"};
  std::vector<MachineFunction> functions;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die, split;
  std::uint8_t kind = 0;
  Dwarf_Half version = 0;
  while (dwarf_get_units(dwarf, unit, &unit, &version, &kind, &die, &split) == 0) {
    const std::string path = text_attribute(&die, DW_AT_name);
    add_functions(&die, path.substr(path.rfind('/') + 1), functions);
  }
  dwarf_end(dwarf);
  std::sort(functions.begin(), functions.end(),
            [](const MachineFunction& a, const MachineFunction& b) { return a.begin < b.begin; });
  return functions;
}

bool is_known_at(const std::vector<Range>& ranges, const Instruction& instruction) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return instruction.address >= range.begin && instruction.address < range.end &&
           (range.at_calls || instruction.kind != Instruction::Kind::Call);
  });
}

class Measurement {
 public:
  Measurement(const binary::BlockTable& table, const binary::MachinePoints& points,
              std::vector<MachineFunction> functions, const std::map<std::string, std::vector<std::uint64_t>>& symbols)
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
  const MachineFunction* function_at(std::uint64_t address) const {
    const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                        [](std::uint64_t value, const MachineFunction& function) { return value < function.begin; });
    if (after == functions_.begin() || address >= std::prev(after)->end) return nullptr;
    return &*std::prev(after);
  }

  const FunctionRow* row_of(const MachineFunction& function) {
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
    const MachineFunction* function = function_at(instruction.address);
    const FunctionRow* row = function == nullptr ? nullptr : row_of(*function);
    if (row == nullptr) return;  // code without debug information, or code that the compiler added
    const bool is_call = instruction.kind == Instruction::Kind::Call;
    const std::uint32_t number = number_of(*row);
    const binary::MachinePoint found = points_.at(instruction.address);
    const std::optional<std::uint32_t> point = coredump::choose_point(*row, found, is_call);
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
    for (Tally* tally : {is_call ? &coverage_.calls : &coverage_.accesses,
                         is_call ? &of_function.calls : &of_function.accesses}) {
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
  std::vector<MachineFunction> functions_;
  std::map<std::uint64_t, std::vector<std::string>> names_;
  std::map<const void*, const FunctionRow*> rows_;
  std::map<const FunctionRow*, std::uint32_t> numbers_;
  Coverage coverage_;
};

}  // namespace

Result<Coverage> measure_coverage(const std::string& program) {
  const Result<binary::BlockTable> table =
      binary::BlockTable::read(program, "HEDDLE_BUILD=production heddle-c++");
  if (!table) return table.error();
  const Result<binary::MachinePoints> points = binary::MachinePoints::read(program);
  if (!points) return points.error();
  Result<std::vector<MachineFunction>> functions = read_functions(program);
  if (!functions) return functions.error();
  const Result<binary::ElfFile> file = binary::ElfFile::open(program);
  if (!file) return file.error();
  const Result<std::vector<Instruction>> instructions = find_instructions(program);
  if (!instructions) return instructions.error();
  return Measurement(*table, *points, std::move(*functions), file->function_addresses()).run(*instructions);
}

}  // namespace heddle::verify
