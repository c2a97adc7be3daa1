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

IndexEntry make_entry(IndexEntry::Kind kind, const binary::FunctionRow& function) {
  IndexEntry entry;
  entry.kind = kind;
  entry.function = function.name;
  entry.source = function.source;
  return entry;
}

// `entry` is matched at a point of the function: a statement, or a call.
void set_point(IndexEntry& entry, const binary::FunctionRow& function, std::uint32_t point) {
  entry.point = point;
  entry.region = function.blocks[function.block_of(point)].loop;
  entry.line = function.line_of(point);
}

// Algorithm 1 within one function, from a point outwards. Entries are innermost first.
class FrameIndex {
 public:
  FrameIndex(binary::Regions& regions, const binary::StackFrame& frame, const binary::CoreImage& image,
             std::vector<std::string>& problems)
      : regions_(regions), function_(regions.function()), frame_(frame), image_(image), problems_(problems) {}

  std::vector<IndexEntry> find(std::uint32_t point) {
    std::uint32_t block = function_.block_of(point);
    for (std::int32_t region = function_.blocks[block].loop;;) {
      // The bound is for irreducible control flow, in which parents may form a cycle.
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

 private:
  void add_branch(const binary::Parent& parent, std::int32_t region) {
    IndexEntry result = make_entry(IndexEntry::Kind::Branch, function_);
    result.branches = parent.branches;
    result.nesting = parent.nesting;
    result.region = region;
    result.line = function_.blocks[parent.block].line;
    entries_.push_back(std::move(result));
  }

  void add_loop(std::int32_t number) {
    IndexEntry result = make_entry(IndexEntry::Kind::Loop, function_);
    const binary::LoopRow& loop = function_.loops[static_cast<std::size_t>(number)];
    result.loop = number;
    result.region = loop.parent;
    result.line = loop.line;
    const std::optional<std::uint64_t> count = loop_count(frame_, image_, number);
    result.count_known = count.has_value();
    result.count = count.value_or(0);
    if (!count)
      problems_.push_back("the count of the loop at " + function_.source + ":" + std::to_string(loop.line) +
                          " is not in the core; its first iteration is assumed");
    entries_.push_back(std::move(result));
  }

  binary::Regions& regions_;
  const binary::FunctionRow& function_;
  const binary::StackFrame& frame_;
  const binary::CoreImage& image_;
  std::vector<std::string>& problems_;
  std::vector<IndexEntry> entries_;
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
      index.problems.push_back("the current block of " + frame.symbol + " is unknown; its frame is skipped");
      continue;
    }
    if (!found.sure) index.problems.push_back("the current block of " + frame.symbol + " is uncertain");
    if (inwards.empty())
      inwards.push_back(make_entry(IndexEntry::Kind::Statement, *function));
    else
      inwards.back().has_call = true;  // the function entered from this frame
    set_point(inwards.back(), *function, *point);
    FrameIndex in_frame(flow.regions(*function), frame, view.image(), index.problems);
    for (IndexEntry& entry : in_frame.find(*point)) inwards.push_back(std::move(entry));
    inwards.push_back(make_entry(IndexEntry::Kind::Function, *function));
  }
  if (inwards.empty())
    return Error{"no frame of the thread that crashed is in " + view.program() +
                 "; the core is damaged, or the crash is in code without debug information"};
  index.entries.assign(std::make_move_iterator(inwards.rbegin()), std::make_move_iterator(inwards.rend()));
  return index;
}

}  // namespace heddle::coredump
