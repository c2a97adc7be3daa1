#pragma once
// The functions that one thread is in: which invocation what it does belongs to.
#include <cstdint>
#include <vector>

#include "slice/execution_log.h"
#include "slice/flow_rows.h"

namespace heddle::slice {

class Invocations {
 public:
  // The log outlives this.
  Invocations(std::uint32_t thread, ExecutionLog& log)
      : thread_(thread), log_(log), outside_(log.begin_invocation({nullptr, kNoInvocation, kNoCall, thread})) {}

  // The thread has come to a point of the function whose row is there: a block, or a call (number of blocks + its number).
  // `base`: of the function's frame; the same in one invocation, smaller in those that it calls.
  void come_to(const FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base);
  // The same for one who stays in the innermost function. False: it does not, and nothing was done.
  bool move_inside(std::uint64_t row, std::uint32_t point, std::uint64_t base) {
    if (frames_.empty()) [[unlikely]] return false;
    Frame& top = frames_.back();
    if (top.row != row || top.base != base || point == 0 || point >= top.blocks) return false;
    move_to(top, point);
    return true;
  }

  // The invocation in which this step of the function comes next, and the thread is there. kNoInvocation: in none.
  InvocationId at_access(const FunctionFlow& flow, const FunctionFlow::Place& place) {
    if (!frames_.empty()) [[likely]] {
      Frame& top = frames_.back();
      if (top.flow == &flow && is_ahead(top, place)) [[likely]] {
        top.step = place.step + 1;
        return top.invocation;
      }
    }
    return find_access(flow, place);
  }
  // `step`: of the private access.
  InvocationId at_private_access(std::uint32_t number, const Step*& step);

  // In which the thread is, whether or not it tells of all that it does there.
  InvocationId current() const { return frames_.empty() ? outside_ : frames_.back().invocation; }
  bool is_inside() const { return !frames_.empty(); }  // of a function
  // Where in it. REQUIRES: is_inside().
  FunctionFlow::Place place() const { return {frames_.back().block, frames_.back().step}; }

 private:
  struct Frame {
    const FunctionFlow* flow;
    std::uint64_t row;
    std::uint64_t base;
    std::uint32_t blocks;  // of the function
    InvocationId invocation;
    std::uint32_t block = 0;
    std::uint32_t step = 0;        // of the block, the next
    std::uint32_t call = kNoCall;  // the last, as long as it may not have returned
  };

  static bool is_ahead(const Frame& frame, const FunctionFlow::Place& place) {
    return place.block == frame.block && place.step >= frame.step;
  }
  void move_to(Frame& frame, std::uint32_t block) {
    log_.add_block(frame.invocation, block, frame.block);
    frame.block = block;
    frame.step = 0;
    frame.call = kNoCall;
  }
  void enter(const FunctionFlow& flow, std::uint64_t row, std::uint32_t block, std::uint64_t base);
  void make_call(std::uint32_t number);
  InvocationId find_access(const FunctionFlow& flow, const FunctionFlow::Place& place);

  const std::uint32_t thread_;
  ExecutionLog& log_;
  const InvocationId outside_;
  std::vector<Frame> frames_;
};

}  // namespace heddle::slice
