#include "binary/sections/flow_rows.h"

#include <optional>
#include <span>

#include "abi/flow.h"
#include "binary/elf_file.h"
#include "binary/sections/post_dominators.h"
#include "binary/sections/row_words.h"

namespace heddle::binary {
namespace {

class RowReader {
 public:
  explicit RowReader(std::span<const std::uint8_t> bytes) : words_(bytes) {}

  // `address`: of the row.
  std::optional<FunctionFlow> read(std::uint64_t address) {
    words_.next();
    words_.next();
    const std::int64_t block_row_offset = static_cast<std::int32_t>(words_.next());
    flow_.block_row = address + static_cast<std::uint64_t>(block_row_offset);
    const std::uint32_t blocks = words_.count();
    flow_.slots = words_.next();
    flow_.arguments = words_.below(std::uint64_t{flow_.slots} + 1);
    flow_.blocks.resize(words_.ok() ? blocks : 0);
    for (Block& block : flow_.blocks) {
      block.successors.resize(words_.count());
      for (std::uint32_t& next : block.successors) next = words_.below(blocks);
      block.steps.resize(words_.count());
      for (Step& step : block.steps) {
        read_step(step);
        if (!words_.ok()) return std::nullopt;
      }
    }
    if (!words_.ok() || flow_.blocks.empty()) return std::nullopt;
    flow_.index();
    return std::move(flow_);
  }

 private:
  Slots sources() {
    Slots slots(words_.count());
    for (std::uint32_t& slot : slots) slot = words_.below(flow_.slots);
    return slots;
  }

  void read_step(Step& step) {
    step.kind = static_cast<StepKind>(words_.next());
    const std::uint32_t slot = words_.below(std::uint64_t{flow_.slots} + 1);
    step.slot = slot == 0 ? kNoSlot : slot - 1;
    if (step.kind == StepKind::Access) {
      const std::uint32_t flags = words_.next();
      step.accumulates = (flags & HEDDLE_FLOW_ACCUMULATES) != 0;
      step.is_private = (flags & HEDDLE_FLOW_PRIVATE) != 0;
      step.name = words_.next();
      step.name |= std::uint64_t{words_.next()} << 32;
    } else if (step.kind == StepKind::Call) {
      step.call = words_.next();
      step.arguments.resize(words_.count());
      for (Slots& argument : step.arguments) argument = sources();
      return;
    } else if (step.kind == StepKind::Phi) {
      step.ways.resize(words_.count());
      for (WayIn& way : step.ways) {
        way.block = words_.next();
        way.sources = sources();
      }
      return;
    }
    step.sources = sources();
  }

  RowWords words_;
  FunctionFlow flow_;
};

void index_steps(Block& block) {
  while (block.phis < block.steps.size() && block.steps[block.phis].kind == StepKind::Phi) ++block.phis;
  for (const Step& step : block.steps) {
    if (step.slot == kNoSlot) continue;
    if (block.sets.empty() || block.sets.back().word != step.slot / 64) block.sets.push_back({step.slot / 64, 0});
    block.sets.back().slots |= std::uint64_t{1} << step.slot % 64;
  }
}

BlockOutline outline_of(const Block& block) {
  BlockOutline outline;
  if (!block.sets.empty()) {
    outline.set_word = block.sets.front().word;
    outline.set_slots = block.sets.front().slots;
  }
  outline.steps = static_cast<std::uint32_t>(block.steps.size());
  outline.join = block.join;
  outline.branches = block.successors.size() > 1;
  outline.sets_more = block.sets.size() > 1;
  return outline;
}

}  // namespace

void FunctionFlow::index() {
  std::vector<std::vector<std::uint32_t>> successors;
  std::vector<bool> returns;
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    index_steps(blocks[block]);
    successors.push_back(blocks[block].successors);
    returns.push_back(false);
    for (std::uint32_t i = 0; i < blocks[block].steps.size(); ++i) {
      const Step& step = blocks[block].steps[i];
      if (step.kind == StepKind::Return) returns.back() = true;
      if (step.kind == StepKind::Access && !step.is_private) accesses_[step.name] = {block, i};
      const bool is_call = step.kind == StepKind::Call;
      if (!is_call && !(step.kind == StepKind::Access && step.is_private)) continue;
      std::vector<Position>& places = is_call ? calls_ : privates_;
      const std::uint64_t number = is_call ? step.call : step.name;
      if (number > std::uint64_t{1} << 24) continue;  // a damaged row
      if (places.size() <= number) places.resize(number + 1, {kNoBlock, 0});
      places[number] = {block, i};
    }
  }
  const std::vector<std::uint32_t> joins = joins_of(successors, returns);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].join = joins[i];
    outlines.push_back(outline_of(blocks[i]));
  }
}

const FunctionFlow::Position* FunctionFlow::find_access(std::uint64_t name) const {
  const auto found = accesses_.find(name);
  return found == accesses_.end() ? nullptr : &found->second;
}

std::map<std::uint64_t, FunctionFlow> read_flow(const std::string& path) {
  std::map<std::uint64_t, FunctionFlow> rows;
  const Result<ElfFile> file = ElfFile::open(path);
  if (!file) return rows;
  const ElfFile::Section section = file->section(HEDDLE_SECTION_FLOW);
  for_each_row(section.bytes, HEDDLE_FLOW_MAGIC, HEDDLE_FLOW_HEAD_WORDS, [&](auto bytes, std::size_t at) {
    std::optional<FunctionFlow> row = RowReader(bytes).read(section.address + at);
    if (row) rows.emplace(row->block_row, std::move(*row));
    return row.has_value();
  });
  return rows;
}

}  // namespace heddle::binary
