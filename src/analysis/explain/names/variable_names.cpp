#include "explain/names/variable_names.h"

#include <algorithm>
#include <utility>

#include "binary/debug_info/debug_view.h"
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

const trace::TraceModule* VariableNames::find_module(std::uint32_t number) const {
  const std::vector<trace::TraceModule>& modules = recording_.tables.modules;
  const auto module = std::ranges::find(modules, number, &trace::TraceModule::number);
  return module == modules.end() ? nullptr : &*module;
}

const VariableNames::Symbols& VariableNames::symbols_of(std::uint32_t module) {
  const auto [found, is_new] = symbols_.try_emplace(module);
  const trace::TraceModule* row = is_new ? find_module(module) : nullptr;
  if (row == nullptr) return found->second;
  const Result<binary::ElfFile> file = binary::ElfFile::open(row->path);
  if (!file) return found->second;
  const std::uint64_t file_begin = row->begin - row->bias;
  for (binary::ElfFile::Variable& variable : file->variables())
    if (variable.address >= file_begin) found->second.insert_or_assign(variable.address - file_begin, variable);
  return found->second;
}

std::string VariableNames::symbol_name(std::uint64_t object) {
  const Symbols& symbols = symbols_of(trace::module_of(object));
  const auto after = symbols.upper_bound(trace::offset_of(object));
  if (after == symbols.begin()) return {};
  const auto& [begin, variable] = *std::prev(after);
  const std::uint64_t offset = trace::offset_of(object) - begin;
  return offset < variable.size ? with_offset(binary::demangle(variable.name), offset) : "";
}

std::string VariableNames::field_of(std::uint64_t size, std::uint64_t offset) {
  if (fields_.empty())
    for (const trace::TraceModule& module : recording_.tables.modules)
      fields_.push_back(std::make_unique<binary::FieldNames>(module.path));
  for (const std::unique_ptr<binary::FieldNames>& fields : fields_)
    if (std::string name = fields->name(size, offset); !name.empty()) return name;
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

// The thread's next point is in the constructor of the object, or in the function that allocated the memory.
void VariableNames::find_allocation(std::uint64_t object, std::size_t before, TrialOracle& oracle) {
  Block* block = trace::is_in_module(object) ? nullptr : block_of(object, before);
  if (block == nullptr || std::exchange(block->searched, true)) return;
  const ThreadId thread = recording_.events[block->since].thread;
  const std::vector<binary::SourceFrame> stack =
      oracle.stack_before(turns_of(turn_spans_of(recording_)), thread, recording_.done[block->since]);
  const binary::SourceFrame* frame = run::first_own_frame(stack);
  if (frame == nullptr) return;
  const auto allocates =
      std::find_if(stack.begin() + (frame - stack.data()), stack.end(), [&](const binary::SourceFrame& outer) {
        const bool is_own = &outer == frame || (outer.line != 0 && !binary::is_system_header(outer.file));
        return is_own && !is_constructor(outer.function);
      });
  if (allocates != stack.end()) block->allocated_at = short_place(place_of_frame(*allocates));
}

VariableNames::Owned VariableNames::owned(std::uint64_t object, std::size_t before) {
  const Block* block = trace::is_in_module(object) ? nullptr : block_of(object, before);
  return {object, block == nullptr ? 0 : block->number};
}

std::optional<std::uint64_t> VariableNames::address_of(std::uint64_t object) const {
  if (!trace::is_in_module(object)) return object;
  const trace::TraceModule* module = find_module(trace::module_of(object));
  return module == nullptr ? std::nullopt : std::optional(module->begin + trace::offset_of(object));
}

void VariableNames::find_owners(const std::vector<std::uint64_t>& objects, std::size_t before, TrialOracle& oracle) {
  std::map<std::uint64_t, Owned> by_address;
  for (const std::uint64_t object : objects) {
    const std::optional<std::uint64_t> address = address_of(object);
    const Owned key = owned(object, before);
    if (address && !owners_.contains(key)) by_address.emplace(*address, key);
  }
  if (lacks_types_ || by_address.empty() || recording_.events.empty() || oracle.time_is_up()) return;
  for (const auto& [address, key] : by_address) owners_.emplace(key, binary::AddressName{});  // also if no run finds it
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
  if (trace::is_in_module(object)) return has_owner ? owner->second.name : symbol_name(object);
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
