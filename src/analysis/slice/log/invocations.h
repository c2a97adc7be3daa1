#pragma once
#include <cstdint>
#include <vector>

#include "binary/sections/flow_rows.h"
#include "slice/log/execution_log.h"

namespace heddle::slice {

// An active function of a thread.
struct Frame {
  const binary::FunctionFlow* flow;
  std::uint64_t row;
  std::uint64_t base;
  std::uint32_t blocks;  // of the function
  InvocationId invocation;
  std::uint32_t block = 0;
  std::uint32_t step = 0;        // the next one in the block
  std::uint32_t call = kNoCall;  // the last one in the block, which may not have returned

  bool is_before(const binary::FunctionFlow::Position& place) const {
    return place.block == block && place.step >= step;
  }
};

// A place in a function as one number: function (upper 16 bits), block (16), unused (16), step (16). Another step of
// the block comes next if the difference to it is less than kSteps.
namespace packed_place {
inline constexpr std::uint64_t kSteps = 1u << 16, kBlocks = 1u << 16, kFunctions = 1u << 16;
inline constexpr unsigned kBlockShift = 32, kFunctionShift = 48;
inline constexpr std::uint64_t kNowhere = std::uint64_t{1} << 31;  // no place is less than kSteps behind it
// Returns kNowhere if the place does not fit.
inline std::uint64_t pack(const binary::FunctionFlow& flow, std::uint32_t block, std::uint32_t step) {
  if (flow.function >= kFunctions || block >= kBlocks || step >= kSteps) return kNowhere;
  return std::uint64_t{flow.function} << kFunctionShift | std::uint64_t{block} << kBlockShift | step;
}
constexpr std::uint32_t block_of(std::uint64_t place) { return place >> kBlockShift & (kBlocks - 1); }
constexpr std::uint32_t step_of(std::uint64_t place) { return place & (kSteps - 1); }
}  // namespace packed_place

// The active functions of a thread.
struct ThreadFrames {
  InvocationId outside = kNoInvocation;  // for code without a flow table
  std::vector<Frame> frames;             // the innermost last

  InvocationId current() const { return frames.empty() ? outside : frames.back().invocation; }
};

// Follows one thread through its functions and assigns what it does to their invocations.
//
// The program records blocks and calls, but not returns. A return shows in the next block of a caller: its frame has a
// larger base, so all frames with smaller bases have ended.
//
// In a part of an execution but the first, the functions that are active at its beginning are unknown. Operations in
// them become assumptions, each about the innermost active function that is left. join() verifies them, in order,
// against the functions that were active at the end of the previous part.
class Invocations {
 public:
  enum class Begins { Here, Earlier };
  // The log outlives this.
  Invocations(std::uint32_t thread, ExecutionLog& log, Begins begins)
      : log_(log), thread_(thread), begins_earlier_(begins == Begins::Earlier) {
    if (!begins_earlier_) outside_ = begin_outside();
  }

  // The thread reaches a point of the function with this row: a block, or a call (number of blocks + number of the
  // call). `base`: of the function's frame, constant in one invocation and smaller in its callees.
  void reach(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base);
  // The same for a block of the innermost function. False, without effect, for any other point.
  [[gnu::always_inline]] bool move_inside(std::uint64_t row, std::uint32_t point, std::uint64_t base) {
    if (top_->row != row || top_->base != base || point == 0 || point >= top_->blocks) return false;
    move_to(*top_, point);
    return true;
  }

  // Advances the thread to this step and returns its invocation; kNoInvocation if the step comes next in none.
  InvocationId at_access(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place) {
    if (top_->flow == &flow && top_->is_before(place)) [[likely]] {
      top_->step = place.step + 1;
      return top_->invocation;
    }
    return find_access(flow, place);
  }
  void access_privately(std::uint32_t number, bool writes, std::uint64_t address, std::uint64_t size);

  // The innermost invocation, even if its code has no flow table.
  InvocationId current();

  // The innermost known function; a frame with 0 blocks if none.
  Frame& innermost() { return *top_; }
  // Leaves the innermost function if this is a point of its caller. False, without effect, if it is not, or if more
  // than one function has ended.
  bool leave_for_caller(std::uint64_t row, std::uint64_t base) {
    if (frames_.size() < 2 || frames_.back().base >= base) return false;
    const Frame& caller = frames_[frames_.size() - 2];
    if (caller.row != row || caller.base != base) return false;
    frames_.pop_back();
    find_top();
    return true;
  }

  // Advances `where` from the end of the previous part to the end of this one. False if an assumption does not hold.
  bool join(ThreadFrames& where);

 private:
  // An operation in a function that was active when the part began.
  struct Assumption {
    enum class Kind {
      Calls,              // calls a function with the frame `base`
      Reaches,            // has the frame `base` and reaches point `number`
      Accesses,           // makes the access at `place`
      AccessesPrivately,  // makes private access `number`
      Current,            // is the innermost one
    } kind;
    InvocationId stand_in = kNoInvocation;
    const binary::FunctionFlow* flow = nullptr;
    std::uint64_t base = 0;
    std::uint32_t number = 0;
    binary::FunctionFlow::Position place = {};
    std::uint32_t next_step = 0;  // after the last access that this covers
    ExecutionLog::Unsettled unsettled = {};
    bool writes = false;
  };

  bool is_earlier() const { return frames_.empty() && begins_earlier_; }
  InvocationId begin_outside() { return log_.begin_invocation({nullptr, kNoInvocation, kNoCall, thread_}); }
  Assumption& assume(Assumption::Kind kind);
  void leave_all() {
    frames_.clear();
    find_top();
  }
  void find_top() { top_ = frames_.empty() ? &no_frame_ : &frames_.back(); }
  [[gnu::always_inline]] void move_to(Frame& frame, std::uint32_t block) {
    log_.add_block(frame.invocation, block, frame.block);
    frame.block = block;
    frame.step = 0;
    frame.call = kNoCall;
  }
  void go_to(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base);
  void enter(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t block, std::uint64_t base);
  void make_call(std::uint32_t number);
  void reach_earlier(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base);
  InvocationId find_access(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place);
  InvocationId access_earlier(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place);
  bool settle(const Assumption& assumption, ThreadFrames& where);

  ExecutionLog& log_;
  const std::uint32_t thread_;
  const bool begins_earlier_;
  InvocationId outside_ = kNoInvocation;
  std::vector<Frame> frames_;
  Frame no_frame_{};
  Frame* top_ = &no_frame_;  // the innermost of `frames_`, if any; find_top() updates it after each change
  std::vector<Assumption> assumptions_;
};

}  // namespace heddle::slice
