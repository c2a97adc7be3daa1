#include "binary/debug_info/loop_counters.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>

#include "abi/blocks.h"
#include "binary/debug_info/die.h"
#include "binary/debug_info/location.h"
#include "support/unique_fd.h"

namespace heddle::binary {
namespace {

std::vector<CounterRange> locations_of(Dwarf_Die* variable) {
  std::vector<CounterRange> ranges;
  Dwarf_Attribute attribute;
  if (dwarf_attr(variable, DW_AT_const_value, &attribute) != nullptr) return {{0, ~std::uint64_t{0}, true}};
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return ranges;
  for_each_location(&attribute, [&](Dwarf_Addr begin, Dwarf_Addr end, const Dwarf_Op* operations, std::size_t count) {
    if (can_evaluate(operations, count, false)) ranges.push_back({begin, end, can_evaluate(operations, count, true)});
  });
  return ranges;
}

void add_function(Dwarf_Die* die, const std::string& source, std::vector<FunctionCounters>& functions) {
  auto counters = std::make_shared<FunctionCounters::ByLoop>();
  const std::string prefix = HEDDLE_LOOP_COUNTER;
  for_each_child(die, [&](Dwarf_Die* child) {
    const std::string name = name_of(child);
    if (dwarf_tag(child) != DW_TAG_variable || !name.starts_with(prefix)) return;
    std::vector<CounterRange>& ranges = (*counters)[std::atoi(name.c_str() + prefix.size())];
    for (const CounterRange& range : locations_of(child)) ranges.push_back(range);
  });
  for_each_range(die, [&](Dwarf_Addr begin, Dwarf_Addr end) { functions.push_back({begin, end, source, counters}); });
}

void add_functions(Dwarf_Die* parent, const std::string& source, std::vector<FunctionCounters>& functions) {
  for_each_child(parent, [&](Dwarf_Die* die) {
    if (dwarf_tag(die) == DW_TAG_subprogram) add_function(die, source, functions);
    if (dwarf_tag(die) == DW_TAG_namespace) add_functions(die, source, functions);
  });
}

}  // namespace

Result<std::vector<FunctionCounters>> read_loop_counters(const std::string& program) {
  const UniqueFd file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  Dwarf* dwarf = file.valid() ? dwarf_begin(file.get(), DWARF_C_READ) : nullptr;
  if (dwarf == nullptr) return Error{program + " has no debug information; verify the unstripped file of the build"};
  std::vector<FunctionCounters> functions;
  for_each_unit(dwarf, [&](Dwarf_Die* unit, Dwarf_Die* with_name) {
    const std::string path = name_of(with_name);
    add_functions(unit, path.substr(path.rfind('/') + 1), functions);
  });
  dwarf_end(dwarf);
  std::sort(functions.begin(), functions.end(),
            [](const FunctionCounters& a, const FunctionCounters& b) { return a.begin < b.begin; });
  return functions;
}

}  // namespace heddle::binary
