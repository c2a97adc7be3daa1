#include "explain/variable_names.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "run/elf_file.h"
#include "run/symbolizer.h"
#include "trace/object.h"

namespace heddle::explain {
namespace {

using format::EventKind;

std::string with_offset(std::string name, std::uint64_t offset) {
  return offset == 0 ? name : name + "+" + std::to_string(offset);
}

}  // namespace

VariableNames::VariableNames(const Recording& recording) : recording_(recording) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Alloc) blocks_[event.object].push_back({i, event.value, ++number});
  }
}

const std::vector<VariableNames::Symbol>& VariableNames::symbols_of(std::uint32_t module) {
  const auto [found, is_new] = symbols_.try_emplace(module);
  if (!is_new) return found->second;
  for (const trace::TraceModule& row : recording_.tables.modules) {
    if (row.number != module) continue;
    const Result<run::ElfFile> file = run::ElfFile::open(row.path);
    if (!file) break;
    const run::ElfFile::Section table = file->section(".symtab");
    const run::ElfFile::Section names = file->section(".strtab");
    const std::uint64_t file_begin = row.begin - row.bias;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, table.bytes.data() + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0) continue;
      if (symbol.st_name >= names.bytes.size() || symbol.st_value < file_begin) continue;
      const char* text = reinterpret_cast<const char*>(names.bytes.data()) + symbol.st_name;
      const std::string linkage(text, ::strnlen(text, names.bytes.size() - symbol.st_name));
      found->second.push_back({symbol.st_value - file_begin, symbol.st_size, run::demangle(linkage)});
    }
    break;
  }
  std::sort(found->second.begin(), found->second.end(),
            [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  return found->second;
}

std::string VariableNames::name(std::uint64_t object, std::size_t before) {
  if (trace::is_in_module(object)) {
    const std::uint64_t offset = trace::offset_of(object);
    const std::vector<Symbol>& symbols = symbols_of(trace::module_of(object));
    auto after = std::upper_bound(symbols.begin(), symbols.end(), offset,
                                  [](std::uint64_t at, const Symbol& symbol) { return at < symbol.begin; });
    if (after != symbols.begin() && offset - (after - 1)->begin < (after - 1)->size)
      return with_offset((after - 1)->name, offset - (after - 1)->begin);
    return {};
  }
  auto at = blocks_.upper_bound(object);
  if (at == blocks_.begin()) return {};
  --at;
  const Block* block = nullptr;
  for (const Block& candidate : at->second)
    if (candidate.since < before) block = &candidate;
  if (block == nullptr || object - at->first >= block->size) return {};
  return with_offset("block " + std::to_string(block->number) + " (" + std::to_string(block->size) + " bytes)",
                     object - at->first);
}

}  // namespace heddle::explain
