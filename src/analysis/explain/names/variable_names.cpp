#include "explain/names/variable_names.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "binary/debug_info/debug_view.h"
#include "binary/elf_file.h"
#include "binary/symbolizer.h"
#include "explain/names/source_locations.h"
#include "explain/recording/turn_span.h"
#include "run/verdict/outcome.h"
#include "trace/object.h"

namespace heddle::explain {
namespace {

using format::EventKind;

// "Account::Account(...)".
bool is_constructor(const std::string& qualified) {
  const std::string function = binary::without_unnamed_namespaces(qualified);
  const std::size_t end = std::min(function.find('('), function.size());
  const std::size_t colons = function.rfind("::", end);
  if (colons == std::string::npos || colons == 0) return false;
  const std::string name = function.substr(colons + 2, end - colons - 2);
  return !name.empty() && (function.compare(0, colons, name) == 0 || function.substr(0, colons).ends_with("::" + name));
}

std::string with_offset(std::string name, std::uint64_t offset) {
  return offset == 0 ? name : name + "+" + std::to_string(offset);
}

}  // namespace

VariableNames::VariableNames(const Recording& recording) : recording_(recording) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Alloc)
      blocks_[event.object].push_back({i, event.object, event.value, ++number, false, {}});
  }
}

const std::vector<VariableNames::Symbol>& VariableNames::symbols_of(std::uint32_t module) {
  const auto [found, is_new] = symbols_.try_emplace(module);
  if (!is_new) return found->second;
  for (const trace::TraceModule& row : recording_.tables.modules) {
    if (row.number != module) continue;
    const Result<binary::ElfFile> file = binary::ElfFile::open(row.path);
    if (!file) break;
    const std::uint64_t file_begin = row.begin - row.bias;
    for (const binary::ElfFile::Variable& variable : file->variables())
      if (variable.address >= file_begin)
        found->second.push_back({variable.address - file_begin, variable.size, binary::demangle(variable.name)});
    break;
  }
  std::sort(found->second.begin(), found->second.end(),
            [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  return found->second;
}

const binary::FieldNames* VariableNames::fields_of(std::uint32_t module) {
  const auto [found, is_new] = fields_.try_emplace(module);
  if (!is_new) return found->second.get();
  for (const trace::TraceModule& row : recording_.tables.modules)
    if (row.number == module) found->second = std::make_unique<binary::FieldNames>(row.path);
  return found->second.get();
}

std::string VariableNames::field_of(std::uint64_t size, std::uint64_t offset) {
  for (const trace::TraceModule& row : recording_.tables.modules) {
    const binary::FieldNames* fields = fields_of(row.number);
    const std::string name = fields == nullptr ? "" : fields->name(size, offset);
    if (!name.empty()) return name;
  }
  return {};
}

VariableNames::Block* VariableNames::block_of(std::uint64_t object, std::size_t before) {
  auto at = blocks_.upper_bound(object);
  if (at == blocks_.begin()) return nullptr;
  --at;
  Block* block = nullptr;
  for (Block& candidate : at->second)
    if (candidate.since < before) block = &candidate;
  return block == nullptr || object - block->begin >= block->size ? nullptr : block;
}

// The first point after it is in the object's constructor, or in the function that has asked for the memory.
void VariableNames::find_allocation(std::uint64_t object, std::size_t before, TrialOracle& oracle) {
  Block* block = trace::is_in_module(object) ? nullptr : block_of(object, before);
  if (block == nullptr || std::exchange(block->looked_for, true)) return;
  const ThreadId thread = recording_.events[block->since].thread;
  const std::vector<binary::SourceFrame> stack =
      oracle.stack_before(turns_of(turn_spans_of(recording_)), thread, recording_.done[block->since]);
  const binary::SourceFrame* frame = run::first_own_frame(stack);
  while (frame != nullptr && is_constructor(frame->function)) {
    const auto after = stack.begin() + (frame - stack.data()) + 1;
    frame = nullptr;
    for (auto outer = after; outer != stack.end() && frame == nullptr; ++outer)
      if (outer->line != 0 && !binary::is_system_header(outer->file)) frame = &*outer;
  }
  if (frame != nullptr) block->allocated_at = short_place(place_of_frame(*frame));
}

VariableNames::Owned VariableNames::owned(std::uint64_t object, std::size_t before) {
  const Block* block = trace::is_in_module(object) ? nullptr : block_of(object, before);
  return {object, block == nullptr ? 0 : block->number};
}

std::optional<std::uint64_t> VariableNames::address_of(std::uint64_t object) const {
  if (!trace::is_in_module(object)) return object;
  for (const trace::TraceModule& row : recording_.tables.modules)
    if (row.number == trace::module_of(object)) return row.begin + trace::offset_of(object);
  return std::nullopt;
}

void VariableNames::find_owners(const std::vector<std::uint64_t>& objects, std::size_t before, TrialOracle& oracle) {
  std::map<std::uint64_t, Owned> by_address;
  for (const std::uint64_t object : objects) {
    const std::optional<std::uint64_t> address = address_of(object);
    const Owned key = owned(object, before);
    if (address && !owners_.contains(key)) by_address.emplace(*address, key);
  }
  if (lacks_types_ || by_address.empty() || recording_.events.empty() || oracle.time_is_up()) return;
  for (const auto& [address, key] : by_address) owners_.emplace(key, binary::AddressName{});
  const Result<binary::CoreImage> image = oracle.freeze(
      turns_of(turn_spans_of(recording_)), step_of(recording_, std::min(before, recording_.events.size() - 1)));
  if (!image) return;
  const Result<std::unique_ptr<binary::DebugView>> view = binary::DebugView::open(*image, oracle.program().path);
  if (!view) return;
  lacks_types_ = !(*view)->has_types();
  std::vector<std::uint64_t> addresses;
  for (const auto& [address, key] : by_address) addresses.push_back(address);
  for (auto& [address, name] : binary::name_addresses(**view, addresses))
    owners_[by_address.at(address)] = std::move(name);
}

std::string VariableNames::name(std::uint64_t object, std::size_t before) {
  const auto owner = owners_.find(owned(object, before));
  const bool has_owner = owner != owners_.end() && !owner->second.name.empty();
  if (trace::is_in_module(object)) {
    if (has_owner) return owner->second.name;
    const std::uint64_t offset = trace::offset_of(object);
    const std::vector<Symbol>& symbols = symbols_of(trace::module_of(object));
    auto after = std::upper_bound(symbols.begin(), symbols.end(), offset,
                                  [](std::uint64_t at, const Symbol& symbol) { return at < symbol.begin; });
    if (after == symbols.begin() || offset - (after - 1)->begin >= (after - 1)->size) return {};
    return with_offset((after - 1)->name, offset - (after - 1)->begin);
  }
  const Block* block = block_of(object, before);
  if (block == nullptr) return has_owner ? owner->second.name : "";
  const std::string where = block->allocated_at.empty() ? "" : ", allocated at " + block->allocated_at;
  const std::string number = "block " + std::to_string(block->number);
  if (has_owner) return owner->second.name + (owner->second.is_owned ? "" : " (" + number + where + ")");
  const std::string field = field_of(block->size, object - block->begin);
  if (!field.empty()) return field + " (" + number + where + ")";
  return with_offset(number + " (" + std::to_string(block->size) + " bytes" + where + ")", object - block->begin);
}

}  // namespace heddle::explain
