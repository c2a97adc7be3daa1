#pragma once
// The functions that one thread is in: which invocation what it does belongs to.
#include <cstdint>
#include <vector>

#include "binary/sections/flow_rows.h"
#include "slice/log/execution_log.h"

namespace heddle::slice {

// A function that a thread is in.
struct Frame {
  const binary::FunctionFlow* flow;
  std::uint64_t row;
  std::uint64_t base;
  std::uint32_t blocks;  // of the function
  InvocationId invocation;
  std::uint32_t block = 0;
  std::uint32_t step = 0;        // of the block, the next
  std::uint32_t call = kNoCall;  // the last, as long as it may not have returned

  bool is_before(const binary::FunctionFlow::Position& place) const {
    return place.block == block && place.step >= step;
  }
};

// A place in a function as one number, for who asks often whether a step of a block comes next: it does, if it is no
// less, and less than kSteps more. From its uppermost bits: number of the function (16), block (16), unused (16), step
// (16).
namespace packed_place {
inline constexpr std::uint64_t kSteps = 1u << 16, kBlocks = 1u << 16, kFunctions = 1u << 16;
inline constexpr unsigned kBlockShift = 32, kFunctionShift = 48;
inline constexpr std::uint64_t kNowhere = std::uint64_t{1} << 31;  // no place is less than kSteps more
// kNowhere if it does not fit.
inline std::uint64_t pack(const binary::FunctionFlow& flow, std::uint32_t block, std::uint32_t step) {
  if (flow.function >= kFunctions || block >= kBlocks || step >= kSteps) return kNowhere;
  return std::uint64_t{flow.function} << kFunctionShift | std::uint64_t{block} << kBlockShift | step;
}
constexpr std::uint32_t block_of(std::uint64_t place) { return place >> kBlockShift & (kBlocks - 1); }
constexpr std::uint32_t step_of(std::uint64_t place) { return place & (kSteps - 1); }
}  // namespace packed_place

// Where a thread is.
struct ThreadFrames {
  InvocationId outside = kNoInvocation;  // all that it does outside of functions that are known
  std::vector<Frame> frames;             // the innermost last

  InvocationId current() const { return frames.empty() ? outside : frames.back().invocation; }
};

// In a part of an execution that is not its first, which functions a thread was in when it began is not known yet. Then
// what is done in them is noted as assumptions, each of which is about the innermost of them that is left: join() holds
// them against where the thread really was.
class Invocations {
 public:
  enum class Begins { Here, Earlier };
  // The log outlives this.
  Invocations(std::uint32_t thread, ExecutionLog& log, Begins begins)
      : log_(log), thread_(thread), begins_earlier_(begins == Begins::Earlier) {
    if (!begins_earlier_) outside_ = begin_outside();
  }

  // The thread has come to a point of the function whose row is there: a block, or a call (number of blocks + its
  // number). `base`: of the function's frame; the same in one invocation, smaller in those that it calls.
  void come_to(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base);
  // The same for one who stays in the innermost function. False: it does not, and nothing was done.
  [[gnu::always_inline]] bool move_inside(std::uint64_t row, std::uint32_t point, std::uint64_t base) {
    if (top_->row != row || top_->base != base || point == 0 || point >= top_->blocks) return false;
    move_to(*top_, point);
    return true;
  }

  // The invocation in which this step of the function comes next, and the thread is there. kNoInvocation: in none.
  InvocationId at_access(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place) {
    if (top_->flow == &flow && top_->is_before(place)) [[likely]] {
      top_->step = place.step + 1;
      return top_->invocation;
    }
    return find_access(flow, place);
  }
  // Logs it.
  void access_privately(std::uint32_t number, bool writes, std::uint64_t address, std::uint64_t size);

  // In which the thread is, whether or not it tells of all that it does there.
  InvocationId current();

  // The innermost function that the thread is known to be in. One without blocks: none.
  Frame& innermost() { return *top_; }
  // The thread has come to a point of its caller, which is not its beginning. False: it has not, or it takes more to
  // know that, and nothing was done.
  bool leave_for_caller(std::uint64_t row, std::uint64_t base) {
    if (frames_.size() < 2 || frames_.back().base >= base) return false;
    const Frame& caller = frames_[frames_.size() - 2];
    if (caller.row != row || caller.base != base) return false;
    frames_.pop_back();
    find_top();
    return true;
  }

  // `where`: the thread was there when this part began, and is at its end. False: something was assumed that does not
  // hold.
  bool join(ThreadFrames& where);

 private:
  // What was done in a function that the thread was in when the part began.
  struct Assumption {
    enum class Kind {
      Calls,    // calls a function whose frame is at `base`
      ComesTo,  // comes to point `number`; its frame is at `base`
      Accesses,
      AccessesPrivately,  // `number`
      IsThere,
    } kind;
    InvocationId stand_in = kNoInvocation;
    const binary::FunctionFlow* flow = nullptr;
    std::uint64_t base = 0;
    std::uint32_t number = 0;
    binary::FunctionFlow::Position place = {};
    std::uint32_t next_step = 0;  // after the last access that this stands for
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
  void come_to_earlier(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base);
  InvocationId find_access(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place);
  InvocationId access_earlier(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place);
  bool settle(const Assumption& assumption, ThreadFrames& where);

  ExecutionLog& log_;
  const std::uint32_t thread_;
  const bool begins_earlier_;
  InvocationId outside_ = kNoInvocation;
  std::vector<Frame> frames_;
  Frame no_frame_{};         // of a function without blocks
  Frame* top_ = &no_frame_;  // the innermost of `frames_`, or that; find_top() after each change of them
  std::vector<Assumption> assumptions_;
};

}  // namespace heddle::slice
