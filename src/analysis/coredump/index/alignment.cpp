#include "coredump/index/alignment.h"

#include <algorithm>

namespace heddle::coredump {

void Aligner::take(const binary::FunctionRow& function, std::uint32_t point, std::uint64_t frame) {
  ++ordinal_;
  if (aligned_ || point >= function.point_count()) return;
  if (point_count_) {
    take_counted(function, point);
    return;
  }
  const bool entered = enter(function, point, frame);
  if (matched_frame_ != kNone && frames_.size() <= matched_frame_) {
    align(false);
    return;
  }
  match(entered);
}

// Aligns at the first visit of the failing statement after as many points as the thread had in the core.
void Aligner::take_counted(const binary::FunctionRow& function, std::uint32_t point) {
  const IndexEntry& statement = index_.back();
  Frame last{&function, 0};
  last.block = last.previous = function.block_of(point);
  last.point = point;
  frames_.assign(1, last);
  matched_frame_ = 0;
  if (ordinal_ < *point_count_ || point != statement.point || function.name != statement.function ||
      function.source != statement.source)
    return;
  head_ = index_.size() - 1;
  align(true);
}

void Aligner::finish() {
  // If the thread ends with fewer points than in the core, its last point is the closest.
  if (!aligned_ && (head_ > 0 || (point_count_ && matched_frame_ != kNone))) align(false);
}

// Updates the stack, and returns whether the point enters the function. Frames that have been left, also by exceptions,
// have lower bases than the current frame.
bool Aligner::enter(const binary::FunctionRow& function, std::uint32_t point, std::uint64_t base) {
  const bool is_entry = point == 0;
  const auto is_left = [&](const Frame& frame) {
    return frame.base < base || (frame.base == base && (is_entry || frame.function != &function));
  };
  while (!frames_.empty() && is_left(frames_.back())) frames_.pop_back();
  const bool is_new = frames_.empty() || frames_.back().base != base;
  if (is_new) frames_.push_back({&function, base});
  Frame& frame = frames_.back();
  frame.entered_block = function.is_block(point);
  if (frame.entered_block) frame.previous = is_new ? point : frame.block;
  frame.block = function.block_of(point);
  frame.point = point;
  return is_new && is_entry;
}

// One point may match several entries: a function and a loop at its beginning.
void Aligner::match(bool entered_function) {
  while (!aligned_ && head_ < index_.size()) {
    if (!match_head(index_[head_], entered_function)) break;
    if (index_[head_].kind == IndexEntry::Kind::Statement) {
      align(true);
      break;
    }
    iterating_ = false;
    ++head_;
  }
  region_is_new_ = false;
}

bool Aligner::match_head(const IndexEntry& head, bool entered_function) {
  if (head.kind == IndexEntry::Kind::Function) return match_function(head, entered_function);
  if (frames_.size() != matched_frame_ + 1) return false;  // the point is in a callee
  switch (head.kind) {
    case IndexEntry::Kind::Loop:
      return match_loop(head);
    case IndexEntry::Kind::Branch:
      return match_branch(head);
    default:
      return match_statement(head);
  }
}

bool Aligner::match_function(const IndexEntry& head, bool entered_function) {
  // Below the outermost function there may be frames of functions that have returned without passing another point.
  const std::size_t callee = matched_frame_ == kNone ? frames_.size() - 1 : matched_frame_ + 1;
  if (frames_.size() == callee + 1 && entered_function) {
    const Frame& frame = frames_[callee];
    const bool same = frame.function->name == head.function && frame.function->source == head.source;
    const bool from_there = matched_frame_ == kNone || frames_[matched_frame_].point == head.point;
    if (same && from_there) {
      matched_frame_ = callee;
      region_ = binary::kNoLoop;
      return true;
    }
    return false;
  }
  if (matched_frame_ == kNone || frames_.size() != matched_frame_ + 1) return false;
  const Frame& frame = matched_frame();
  const std::uint32_t wanted = frame.function->block_of(head.point);
  // The thread has passed the call without entering the function.
  if (frame.block == wanted && !frame.entered_block && frame.point > head.point) {
    align(false);
    return false;
  }
  check_reachable(wanted);
  return false;
}

bool Aligner::match_loop(const IndexEntry& head) {
  const Frame& frame = matched_frame();
  if (!frame.entered_block) return false;
  const binary::LoopRow& loop = frame.function->loops[static_cast<std::size_t>(head.loop)];
  if (frame.block == loop.header) {
    const bool again = iterating_ && regions().contains(head.loop, frame.previous) && frame.previous != frame.block;
    const bool to_itself = iterating_ && frame.previous == frame.block;
    iteration_ = again || to_itself ? iteration_ + 1 : 0;
    iterating_ = true;
    if (iteration_ == head.count) {
      region_ = head.loop;
      region_is_new_ = true;
      return true;
    }
  }
  if (!regions().contains(head.loop, frame.block)) check_reachable(loop.header);
  return false;
}

bool Aligner::match_branch(const IndexEntry& head) {
  const Frame& frame = matched_frame();
  if (!frame.entered_block) return false;
  const auto& blocks = frame.function->blocks;
  for (const binary::Branch& branch : head.branches) {
    const auto& successors = blocks[branch.block].successors;
    if (!region_is_new_ && frame.previous == branch.block && branch.successor < successors.size() &&
        successors[branch.successor] == frame.block)
      return true;
  }
  const bool possible = std::any_of(head.branches.begin(), head.branches.end(), [&](const binary::Branch& branch) {
    return regions().reaches(region_, frame.block, branch.block);
  });
  if (!possible)
    align(false);
  else
    check_reachable(frame.block);
  return false;
}

bool Aligner::match_statement(const IndexEntry& head) {
  const Frame& frame = matched_frame();
  if (frame.point == head.point) return true;
  if (frame.block == frame.function->block_of(head.point) && frame.point > head.point && !frame.entered_block) {
    align(false);
    return false;
  }
  check_reachable(frame.function->block_of(head.point));
  return false;
}

void Aligner::check_reachable(std::uint32_t block) {
  const Frame& frame = matched_frame();
  bool possible = regions().contains(region_, frame.block);
  if (possible && region_ != binary::kNoLoop && frame.entered_block && !region_is_new_)
    possible = frame.block != frame.function->loops[static_cast<std::size_t>(region_)].header;
  if (!possible || !regions().reaches(region_, frame.block, block)) align(false);
}

void Aligner::align(bool exact) {
  AlignedPoint point;
  point.exact = exact;
  point.ordinal = ordinal_;
  point.matched = head_ + (exact ? 1 : 0);
  if (matched_frame_ != kNone && matched_frame_ < frames_.size()) {
    const Frame& frame = frames_[matched_frame_];
    point.function = frame.function->name;
    point.source = frame.function->source;
    point.block = exact ? frame.block : frame.previous;
    point.line = exact ? frame.function->line_of(frame.point) : frame.function->blocks[frame.previous].line;
  }
  aligned_ = point;
}

}  // namespace heddle::coredump
