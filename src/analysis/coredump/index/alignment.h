#pragma once
// Finds the point that an index names in a run of the program (multicore dumps, section 3.3, Figure 7): the exact
// point, or the closest one, after which the exact point can no longer be reached. One aligner follows one thread.
//
// This implements rules 5 to 7. The head of the remaining index has a block that the thread must reach within the
// innermost matched region. When the thread reaches the block, the head is matched and removed. When the block has
// become unreachable, because the thread has taken another branch or has left the loop or the function, the alignment
// ends there. That covers conditions 2 and 3 of the paper. A second call of a function in the same region does not
// match.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coredump/index/failure_index.h"

namespace heddle::coredump {

struct AlignedPoint {
  bool exact = false;
  std::uint64_t ordinal = 0;  // of the thread's points, from 1
  std::size_t matched = 0;    // entries of the index
  std::string function;       // of the point; closest: of the diverging branch
  std::string source;
  std::uint32_t line = 0;  // likewise; 0: unknown
  std::uint32_t block = 0;
};

class Aligner {
 public:
  // REQUIRES: both outlive this; `flow` is of the program that runs.
  Aligner(const FailureIndex& index, ControlFlow& flow)
      : index_(index.entries), point_count_(index.point_count), flow_(flow) {}

  // The thread has reached a point of `function`. `frame`: the base of its stack frame.
  void take(const binary::FunctionRow& function, std::uint32_t point, std::uint64_t frame);
  // The thread has reached a point of a function without a row.
  void skip() { ++ordinal_; }
  // The thread or the run has ended.
  void finish();

  bool is_aligned() const { return aligned_.has_value(); }
  const std::optional<AlignedPoint>& aligned() const { return aligned_; }
  std::size_t matched() const { return head_; }  // entries

 private:
  struct Frame {
    const binary::FunctionRow* function;
    std::uint64_t base;
    std::uint32_t block = 0;
    std::uint32_t point = 0;
    std::uint32_t previous = 0;  // block before `block`
    bool entered_block = false;  // the last point was the beginning of a block, not a call
  };

  void take_counted(const binary::FunctionRow& function, std::uint32_t point);
  bool enter(const binary::FunctionRow& function, std::uint32_t point, std::uint64_t frame);
  void match(bool entered_function);
  bool match_head(const IndexEntry& head, bool entered_function);
  bool match_function(const IndexEntry& head, bool entered_function);
  bool match_loop(const IndexEntry& head);
  bool match_branch(const IndexEntry& head);
  bool match_statement(const IndexEntry& head);
  // Ends the alignment if the block can no longer be reached within the matched region.
  void check_reachable(std::uint32_t block);
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
  bool region_is_new_ = false;             // matched at the current point: its header is not a new iteration
  std::uint64_t iteration_ = 0;            // of the loop at the head
  bool iterating_ = false;
  std::uint64_t ordinal_ = 0;
  std::optional<AlignedPoint> aligned_;
};

}  // namespace heddle::coredump
