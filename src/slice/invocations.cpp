#include "slice/invocations.h"

namespace heddle::slice {

void Invocations::come_to(const FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base) {
  const auto blocks = static_cast<std::uint32_t>(flow.blocks.size());
  if (point == 0) {
    // Nothing goes back to the first block of a function.
    while (!frames_.empty() && frames_.back().base <= base) frames_.pop_back();
    return enter(flow, row, 0, base);
  }
  while (!frames_.empty() && (frames_.back().base < base || (frames_.back().base == base && frames_.back().flow != &flow)))
    frames_.pop_back();
  const bool is_new = frames_.empty() || frames_.back().base != base;
  if (is_new) enter(flow, row, point < blocks ? point : 0, base);
  if (point >= blocks)
    make_call(point - blocks);
  else if (!is_new)
    move_to(frames_.back(), point);
}

void Invocations::enter(const FunctionFlow& flow, std::uint64_t row, std::uint32_t block, std::uint64_t base) {
  Invocation invocation{&flow, kNoInvocation, kNoCall, thread_};
  if (!frames_.empty()) {
    invocation.caller = frames_.back().invocation;
    invocation.call = frames_.back().call;
  }
  const InvocationId id = log_.begin_invocation(invocation);
  frames_.push_back({&flow, row, base, static_cast<std::uint32_t>(flow.blocks.size()), id, block});
  log_.add_beginning(id, block);
}

void Invocations::make_call(std::uint32_t number) {
  Frame& frame = frames_.back();
  const FunctionFlow::Place* place = frame.flow->find_call(number);
  if (place == nullptr || !is_ahead(frame, *place)) return;
  frame.step = place->step + 1;
  frame.call = number;
  log_.add_call(frame.invocation, number);
}

InvocationId Invocations::find_access(const FunctionFlow& flow, const FunctionFlow::Place& place) {
  std::size_t depth = frames_.size();
  while (depth > 0 && (frames_[depth - 1].flow != &flow || !is_ahead(frames_[depth - 1], place))) --depth;
  if (depth == 0) return kNoInvocation;
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(depth), frames_.end());
  frames_.back().step = place.step + 1;
  return frames_.back().invocation;
}

InvocationId Invocations::at_private_access(std::uint32_t number, const Step*& step) {
  for (std::size_t depth = frames_.size(); depth > 0; --depth) {
    Frame& frame = frames_[depth - 1];
    const FunctionFlow::Place* place = frame.flow->find_private(number);
    if (place == nullptr || !is_ahead(frame, *place)) continue;
    step = &frame.flow->blocks[place->block].steps[place->step];
    frame.step = place->step + 1;
    frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(depth), frames_.end());
    return frame.invocation;
  }
  return kNoInvocation;
}

}  // namespace heddle::slice
