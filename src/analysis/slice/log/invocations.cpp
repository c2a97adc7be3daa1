#include "slice/log/invocations.h"

namespace heddle::slice {
namespace {

using Frames = std::vector<Frame>;

// Removes the frames that have ended when the thread reaches this point of the function with this frame.
void leave_for(const binary::FunctionFlow& flow, std::uint32_t point, std::uint64_t base, Frames& frames) {
  // The first block of a function has no predecessors, so reaching it again is another invocation.
  while (!frames.empty() &&
         (frames.back().base < base || (frames.back().base == base && (point == 0 || frames.back().flow != &flow))))
    frames.pop_back();
}

// Removes the frames inside the innermost one for which `is_there` is true. False, without effect, if there is none.
template <typename Current>
bool leave_down_to(Frames& frames, Current&& is_there) {
  std::size_t depth = frames.size();
  while (depth > 0 && !is_there(frames[depth - 1])) --depth;
  if (depth == 0) return false;
  frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(depth), frames.end());
  return true;
}

bool leave_down_to_access(Frames& frames, const binary::FunctionFlow& flow,
                          const binary::FunctionFlow::Position& place) {
  return leave_down_to(frames, [&](const Frame& frame) { return frame.flow == &flow && frame.is_before(place); });
}

// Leaves down to the innermost function in which the private access comes next, and returns its step; nullptr if none.
const binary::Step* leave_down_to_private(Frames& frames, std::uint32_t number) {
  const binary::FunctionFlow::Position* place = nullptr;
  if (!leave_down_to(frames, [&](const Frame& frame) {
        place = frame.flow->find_private(number);
        return place != nullptr && frame.is_before(*place);
      }))
    return nullptr;
  frames.back().step = place->step + 1;
  return &frames.back().flow->blocks[place->block].steps[place->step];
}

std::uint8_t private_flags(bool writes, const binary::Step* step) {
  std::uint8_t flags = entry::kPrivate;
  if (writes) flags |= entry::kWrites;
  if (!writes || (step != nullptr && step->slot != binary::kNoSlot)) flags |= entry::kReads;
  if (step == nullptr) flags |= entry::kPlaceless;
  return flags;
}

}  // namespace

void Invocations::reach(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base) {
  go_to(flow, row, point, base);
  find_top();
}

void Invocations::go_to(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point, std::uint64_t base) {
  const auto blocks = static_cast<std::uint32_t>(flow.blocks.size());
  leave_for(flow, point, base, frames_);
  if (point == 0) return enter(flow, row, 0, base);
  if (is_earlier()) return reach_earlier(flow, row, point, base);
  const bool is_new = frames_.empty() || frames_.back().base != base;
  if (is_new) enter(flow, row, point < blocks ? point : 0, base);
  if (point >= blocks)
    make_call(point - blocks);
  else if (!is_new)
    move_to(frames_.back(), point);
}

void Invocations::enter(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t block, std::uint64_t base) {
  Invocation invocation{&flow, kNoInvocation, kNoCall, thread_};
  if (is_earlier()) {
    // The same caller as before, if its frame cannot have ended since.
    const bool is_same = !assumptions_.empty() && assumptions_.back().kind == Assumption::Kind::Calls &&
                         base <= assumptions_.back().base;
    Assumption& caller = is_same ? assumptions_.back() : assume(Assumption::Kind::Calls);
    if (!is_same) caller.base = base;
    invocation.caller = caller.stand_in;
    invocation.call = kCallOfStandIn;
  } else if (!frames_.empty()) {
    invocation.caller = frames_.back().invocation;
    invocation.call = frames_.back().call;
  }
  const InvocationId id = log_.begin_invocation(invocation);
  frames_.push_back({&flow, row, base, static_cast<std::uint32_t>(flow.blocks.size()), id, block});
  log_.add_beginning(id, block);
}

void Invocations::make_call(std::uint32_t number) {
  Frame& frame = frames_.back();
  const binary::FunctionFlow::Position* place = frame.flow->find_call(number);
  if (place == nullptr || !frame.is_before(*place)) return;
  frame.step = place->step + 1;
  frame.call = number;
  log_.add_call(frame.invocation, number);
}

InvocationId Invocations::find_access(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place) {
  if (!leave_down_to_access(frames_, flow, place)) return begins_earlier_ ? access_earlier(flow, place) : kNoInvocation;
  find_top();
  top_->step = place.step + 1;
  return top_->invocation;
}

void Invocations::access_privately(std::uint32_t number, bool writes, std::uint64_t address, std::uint64_t size) {
  const binary::Step* step = leave_down_to_private(frames_, number);
  find_top();
  if (step != nullptr || !begins_earlier_) {
    const InvocationId invocation = step != nullptr ? frames_.back().invocation : current();
    return log_.add_access(private_flags(writes, step), address, size, invocation, number);
  }
  leave_all();
  Assumption& assumption = assume(Assumption::Kind::AccessesPrivately);
  assumption.number = number;
  assumption.writes = writes;
  assumption.unsettled = log_.add_unsettled(private_flags(writes, nullptr), address, size, assumption.stand_in, number);
}

InvocationId Invocations::current() {
  if (!is_earlier()) return frames_.empty() ? outside_ : frames_.back().invocation;
  if (assumptions_.empty() || assumptions_.back().kind != Assumption::Kind::Current) assume(Assumption::Kind::Current);
  return assumptions_.back().stand_in;
}

Invocations::Assumption& Invocations::assume(Assumption::Kind kind) {
  return assumptions_.emplace_back(Assumption{.kind = kind, .stand_in = log_.add_stand_in()});
}

// The function is known from here on.
void Invocations::reach_earlier(const binary::FunctionFlow& flow, std::uint64_t row, std::uint32_t point,
                                std::uint64_t base) {
  Assumption& assumption = assume(Assumption::Kind::Reaches);
  assumption.flow = &flow;
  assumption.base = base;
  assumption.number = point;
  const auto blocks = static_cast<std::uint32_t>(flow.blocks.size());
  Frame& frame = frames_.emplace_back(Frame{&flow, row, base, blocks, assumption.stand_in});
  if (point < blocks) {
    frame.block = point;
    assumption.unsettled = log_.add_unsettled_block(assumption.stand_in, point);
  } else if (const binary::FunctionFlow::Position* place = flow.find_call(point - blocks)) {
    frame.block = place->block;
    make_call(point - blocks);
  }
}

InvocationId Invocations::access_earlier(const binary::FunctionFlow& flow,
                                         const binary::FunctionFlow::Position& place) {
  leave_all();
  if (!assumptions_.empty()) {
    Assumption& last = assumptions_.back();
    if (last.kind == Assumption::Kind::Accesses && last.flow == &flow && last.place.block == place.block &&
        place.step >= last.next_step) {
      last.next_step = place.step + 1;
      return last.stand_in;
    }
  }
  Assumption& assumption = assume(Assumption::Kind::Accesses);
  assumption.flow = &flow;
  assumption.place = place;
  assumption.next_step = place.step + 1;
  return assumption.stand_in;
}

bool Invocations::settle(const Assumption& assumption, ThreadFrames& where) {
  Frames& frames = where.frames;
  switch (assumption.kind) {
    case Assumption::Kind::Calls:
      while (!frames.empty() && frames.back().base <= assumption.base) frames.pop_back();
      log_.set_stand_in(assumption.stand_in, frames.empty()
                                                 ? ExecutionLog::Caller{}
                                                 : ExecutionLog::Caller{frames.back().invocation, frames.back().call});
      return true;
    case Assumption::Kind::Reaches: {
      leave_for(*assumption.flow, assumption.number, assumption.base, frames);
      if (frames.empty() || frames.back().base != assumption.base) return false;
      const Frame& frame = frames.back();
      if (assumption.number < frame.blocks) {
        log_.set_from(assumption.unsettled, frame.block);
      } else {
        const binary::FunctionFlow::Position* place = frame.flow->find_call(assumption.number - frame.blocks);
        if (place == nullptr || !frame.is_before(*place)) return false;
      }
      log_.set_stand_in(assumption.stand_in, {frame.invocation});
      frames.pop_back();
      return true;
    }
    case Assumption::Kind::Accesses:
      if (!leave_down_to_access(frames, *assumption.flow, assumption.place)) return false;
      frames.back().step = assumption.next_step;
      break;
    case Assumption::Kind::AccessesPrivately: {
      const binary::Step* step = leave_down_to_private(frames, assumption.number);
      if (step == nullptr) return false;
      log_.set_flags(assumption.unsettled, private_flags(assumption.writes, step));
      break;
    }
    case Assumption::Kind::Current:
      break;
  }
  log_.set_stand_in(assumption.stand_in, {where.current()});
  return true;
}

bool Invocations::join(ThreadFrames& where) {
  if (where.outside == kNoInvocation) where.outside = begins_earlier_ ? begin_outside() : outside_;
  for (const Assumption& assumption : assumptions_)
    if (!settle(assumption, where)) return false;
  for (Frame frame : frames_) {
    frame.invocation = log_.resolve(frame.invocation);
    where.frames.push_back(frame);
  }
  return true;
}

}  // namespace heddle::slice
