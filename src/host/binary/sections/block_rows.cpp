#include "binary/sections/block_rows.h"

#include <optional>
#include <span>

#include "abi/blocks.h"
#include "binary/elf_file.h"
#include "binary/sections/row_words.h"

namespace heddle::binary {
namespace {

std::optional<FunctionRow> read_row(std::span<const std::uint8_t> bytes) {
  RowWords words(bytes);
  words.next();
  words.next();
  const std::uint32_t blocks = words.count();
  const std::uint32_t calls = words.count();
  const std::uint32_t loops = words.count();
  const std::uint32_t name_size = words.count();
  const std::uint32_t source_size = words.count();
  FunctionRow row;
  for (std::uint32_t i = 0; i < blocks && words.ok(); ++i) {
    BlockRow block;
    const std::uint32_t successors = words.count();
    for (std::uint32_t s = 0; s < successors && words.ok(); ++s) block.successors.push_back(words.below(blocks));
    block.loop = static_cast<std::int32_t>(words.below(std::uint64_t{loops} + 1)) - 1;
    block.line = words.next();
    row.blocks.push_back(std::move(block));
  }
  for (std::uint32_t i = 0; i < calls && words.ok(); ++i) {
    const std::uint32_t block = words.below(blocks);
    row.calls.push_back({block, words.next()});
  }
  for (std::uint32_t i = 0; i < loops && words.ok(); ++i) {
    const std::uint32_t header = words.below(blocks);
    const std::uint32_t parent = words.below(std::uint64_t{i} + 1);
    row.loops.push_back({header, static_cast<std::int32_t>(parent) - 1, words.next()});
  }
  row.name = words.text(name_size);
  row.source = words.text(source_size);
  if (!words.ok() || row.blocks.empty()) return std::nullopt;
  return row;
}

}  // namespace

Result<BlockTable> BlockTable::read(const std::string& path, const std::string& how_to_build) {
  Result<ElfFile> file = ElfFile::open(path);
  if (!file) return file.error();
  const ElfFile::Section section = file->section(HEDDLE_SECTION_BLOCKS);
  BlockTable table;
  for_each_row(section.bytes, HEDDLE_BLOCKS_MAGIC, HEDDLE_BLOCKS_HEAD_WORDS, [&](auto bytes, std::size_t at) {
    std::optional<FunctionRow> row = read_row(bytes);
    if (!row) return false;
    row->address = section.address + at;
    table.by_name_.emplace(row->name, table.functions_.size());
    table.by_address_.emplace(row->address, table.functions_.size());
    table.functions_.push_back(std::move(*row));
    return true;
  });
  if (table.functions_.empty()) return Error{path + " has no block table; build it with " + how_to_build};
  return table;
}

const FunctionRow* BlockTable::find(const std::string& name, const std::string& source) const {
  const FunctionRow* found = nullptr;
  const auto [begin, end] = by_name_.equal_range(name);
  for (auto at = begin; at != end; ++at) {
    const FunctionRow& row = functions_[at->second];
    if (row.source == source) return &row;
    if (found == nullptr) found = &row;
  }
  return found;
}

const FunctionRow* BlockTable::at(std::uint64_t row_address) const {
  const auto found = by_address_.find(row_address);
  return found == by_address_.end() ? nullptr : &functions_[found->second];
}

}  // namespace heddle::binary
