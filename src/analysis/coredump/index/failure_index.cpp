#include "coredump/index/failure_index.h"

#include <algorithm>
#include <optional>

#include "abi/blocks.h"

namespace heddle::coredump {
namespace {

std::optional<std::uint64_t> loop_count(const binary::StackFrame& frame, const binary::CoreImage& image,
                                        std::int32_t loop) {
  const std::string name = HEDDLE_LOOP_COUNTER + std::to_string(loop);
  for (const binary::LocalVariable& variable : frame.locals) {
    if (variable.name != name && !variable.name.starts_with(name + "_")) continue;
    if (variable.place.kind == binary::MemoryLocation::Kind::Value) return variable.place.word;
    std::uint64_t count = 0;
    if (variable.place.kind == binary::MemoryLocation::Kind::Memory && image.read(variable.place.word, count))
      return count;
  }
  return std::nullopt;
}

// Algorithm 1 within one function: from a point outwards. Innermost first.
class FrameIndex {
 public:
  FrameIndex(binary::Regions& regions, const binary::StackFrame& frame, const binary::CoreImage& image,
             std::vector<std::string>& problems)
      : regions_(regions), function_(regions.function()), frame_(frame), image_(image), problems_(problems) {}

  std::vector<IndexEntry> find(std::uint32_t point) {
    std::uint32_t block = function_.block_of(point);
    innermost_ = function_.blocks[block].loop;
    for (std::int32_t region = innermost_;;) {
      // Irreducible control flow may lead in circles.
      for (std::size_t steps = 0; steps <= function_.blocks.size(); ++steps) {
        const binary::Parent parent = binary::find_parent(regions_, region, block);
        if (parent.nesting == binary::Nesting::Region) break;
        add_branch(parent, region);
        block = parent.block;
      }
      if (region == binary::kNoLoop) break;
      add_loop(region);
      const binary::LoopRow& loop = function_.loops[static_cast<std::size_t>(region)];
      block = loop.header;
      region = loop.parent;
    }
    return std::move(entries_);
  }

  std::int32_t innermost() const { return innermost_; }

 private:
  IndexEntry entry(IndexEntry::Kind kind) const {
    IndexEntry result;
    result.kind = kind;
    result.function = function_.name;
    result.source = function_.source;
    return result;
  }

  void add_branch(const binary::Parent& parent, std::int32_t region) {
    IndexEntry result = entry(IndexEntry::Kind::Branch);
    result.branches = parent.branches;
    result.nesting = parent.nesting;
    result.region = region;
    result.line = function_.blocks[parent.block].line;
    entries_.push_back(std::move(result));
  }

  void add_loop(std::int32_t number) {
    IndexEntry result = entry(IndexEntry::Kind::Loop);
    const binary::LoopRow& loop = function_.loops[static_cast<std::size_t>(number)];
    result.loop = number;
    result.region = loop.parent;
    result.line = loop.line;
    const std::optional<std::uint64_t> count = loop_count(frame_, image_, number);
    result.count_known = count.has_value();
    result.count = count.value_or(0);
    if (!count)
      problems_.push_back("the count of the loop at " + function_.source + ":" + std::to_string(loop.line) +
                          " is not in the core; its first iteration is taken");
    entries_.push_back(std::move(result));
  }

  binary::Regions& regions_;
  const binary::FunctionRow& function_;
  const binary::StackFrame& frame_;
  const binary::CoreImage& image_;
  std::vector<std::string>& problems_;
  std::vector<IndexEntry> entries_;
  std::int32_t innermost_ = binary::kNoLoop;
};

}  // namespace

std::uint64_t FailureIndex::expanded_length() const {
  std::uint64_t length = 0;
  for (const IndexEntry& entry : entries) length += entry.kind == IndexEntry::Kind::Loop ? entry.count + 1 : 1;
  return length;
}

binary::Regions& ControlFlow::regions(const binary::FunctionRow& function) {
  std::unique_ptr<binary::Regions>& regions = regions_[&function];
  if (regions == nullptr) regions = std::make_unique<binary::Regions>(function);
  return *regions;
}

Result<FailureIndex> find_failure_index(const binary::DebugView& view, const std::vector<binary::StackFrame>& stack,
                                        ControlFlow& flow, const binary::MachinePoints& points) {
  FailureIndex index;
  std::vector<IndexEntry> inwards;  // innermost first
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const binary::StackFrame& frame = stack[i];
    if (frame.module != view.program()) continue;
    const binary::FunctionRow* function = flow.table().find(frame.symbol, frame.source);
    if (function == nullptr) continue;
    const binary::MachinePoint found = points.at(frame.file_address);
    const std::optional<std::uint32_t> point = binary::choose_point(*function, found, !frame.exact);
    if (!point) {
      index.problems.push_back("the block of " + frame.symbol +
                               " in which it stood is not known; the frame is left out");
      continue;
    }
    if (!found.sure) index.problems.push_back("the block of " + frame.symbol + " in which it stood is uncertain");
    if (inwards.empty()) {
      IndexEntry statement;
      statement.kind = IndexEntry::Kind::Statement;
      statement.function = function->name;
      statement.source = function->source;
      statement.point = *point;
      statement.region = function->blocks[function->block_of(*point)].loop;
      statement.line = function->line_of(*point);
      inwards.push_back(std::move(statement));
    } else {
      IndexEntry& called = inwards.back();
      called.point = *point;
      called.has_call = true;
      called.region = function->blocks[function->block_of(*point)].loop;
      called.line = function->line_of(*point);
    }
    FrameIndex in_frame(flow.regions(*function), frame, view.image(), index.problems);
    for (IndexEntry& entry : in_frame.find(*point)) inwards.push_back(std::move(entry));
    IndexEntry entered;
    entered.kind = IndexEntry::Kind::Function;
    entered.function = function->name;
    entered.source = function->source;
    inwards.push_back(std::move(entered));
  }
  if (inwards.empty())
    return Error{"no frame of the thread that crashed is in " + view.program() +
                 "; the core is damaged, or the crash is in code without debug information"};
  index.entries.assign(std::make_move_iterator(inwards.rbegin()), std::make_move_iterator(inwards.rend()));
  return index;
}

}  // namespace heddle::coredump
