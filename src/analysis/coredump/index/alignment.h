#pragma once
// Finds, in a run of the program, the point that an index names (multicore dumps, section 3.3, Figure 7): exactly, or
// the point from which on it can no longer be reached. One aligner follows one thread.
//
// Rules 5 to 7 in one: the head of the index has a block that must be come to within the innermost region that was
// matched. When it is come to, the head is taken off; when it cannot be come to any more, because another branch was
// taken, the loop or the function was left, this is the closest alignment. That covers conditions 2 and 3 of the paper,
// and a function that is called a second time in the same region does not align.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coredump/index/failure_index.h"

namespace heddle::coredump {

struct AlignedPoint {
  bool exact = false;
  std::uint64_t ordinal = 0;  // of the thread's points, from 1
  std::size_t matched = 0;    // entries of the index that were found
  std::string function;       // closest: whose branch led away
  std::string source;
  std::uint32_t line = 0;  // of that branch; 0: it is not one branch
  std::uint32_t block = 0;
};

class Aligner {
 public:
  // Both outlive this. `flow` is of the program that runs.
  Aligner(const FailureIndex& index, ControlFlow& flow)
      : index_(index.entries), point_count_(index.point_count), flow_(flow) {}

  // The thread has come to a point of `function`; `frame`: the base of its frame on the stack.
  void take(const binary::FunctionRow& function, std::uint32_t point, std::uint64_t frame);
  // It has come to a point of a function that the index cannot speak of.
  void skip() { ++ordinal_; }
  // The thread has ended, or the run.
  void finish();

  bool is_aligned() const { return aligned_.has_value(); }
  const std::optional<AlignedPoint>& aligned() const { return aligned_; }
  std::size_t matched() const { return head_; }

 private:
  struct Frame {
    const binary::FunctionRow* function;
    std::uint64_t base;
    std::uint32_t block = 0;  // where it is
    std::uint32_t point = 0;
    std::uint32_t previous = 0;  // block before
    bool entered_block = false;  // the last point was a block's
  };

  void take_counted(const binary::FunctionRow& function, std::uint32_t point);
  bool enter(const binary::FunctionRow& function, std::uint32_t point, std::uint64_t frame);
  void match(bool entered_function);
  bool match_head(const IndexEntry& head, bool entered_function);
  bool match_function(const IndexEntry& head, bool entered_function);
  bool match_loop(const IndexEntry& head);
  bool match_branch(const IndexEntry& head);
  bool match_statement(const IndexEntry& head);
  // Fails the alignment when the block can no longer be come to within the matched region.
  bool still_reaches(std::uint32_t block);
  void align(bool exact);
  binary::Regions& regions() { return flow_.regions(*frames_[matched_frame_].function); }
  Frame& matched_frame() { return frames_[matched_frame_]; }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const std::vector<IndexEntry>& index_;
  const std::optional<std::uint64_t> point_count_;
  ControlFlow& flow_;
  std::vector<Frame> frames_;
  std::size_t head_ = 0;
  std::size_t matched_frame_ = kNone;      // the frame of the last matched function
  std::int32_t region_ = binary::kNoLoop;  // within it
  bool region_is_new_ = false;             // matched at this very point: its header is not a new iteration
  std::uint64_t iteration_ = 0;            // of the loop at the head
  bool iterating_ = false;
  std::uint64_t ordinal_ = 0;
  std::optional<AlignedPoint> aligned_;
};

}  // namespace heddle::coredump
