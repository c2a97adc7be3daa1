#include "slice/backward/backward_pass.h"

namespace heddle::slice {
namespace {

constexpr binary::FunctionFlow::Position kUnknownPlace{~std::uint32_t{0}, 0};

}  // namespace

BackwardPass::BackwardPass(const std::vector<LoggedPart>& parts, const SynchronisationHistory& synchronisation,
                           const std::vector<ThreadEnd>& ends, Relations relations)
    : parts_(parts),
      synchronisation_(synchronisation),
      ends_(ends),
      relations_(relations),
      threads_(ends.size()),
      nodes_(synchronisation.count() + 1) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::span<const Invocation> invocations = parts[i].log->invocations();
    invocations_[i] = invocations.data();
    states_[i] = std::make_unique<std::uint32_t[]>(invocations.size());
  }
  for (std::uint32_t i = 0; i < ends.size(); ++i) threads_[i].context = synchronisation.at_end(i);
}

WantedValues& BackwardPass::make_values(InvocationId id, const binary::FunctionFlow::Position& place) {
  auto made = std::make_unique<WantedValues>(*invocation(id).flow, place);
  std::uint32_t index = static_cast<std::uint32_t>(values_.size());
  if (unused_values_.empty()) {
    values_.push_back(std::move(made));
  } else {
    index = unused_values_.back();
    unused_values_.pop_back();
    values_[index] = std::move(made);
  }
  state_of(id) = 2 + index;
  return *values_[index];
}

void BackwardPass::release_values(InvocationId id) {
  const std::uint32_t index = state_of(id) - 2;
  values_[index].reset();
  unused_values_.push_back(index);
  state_of(id) = kNothingWanted;
}

// The pass reaches the end of the invocation. Returns values if the caller wants the result.
WantedValues* BackwardPass::see_end(InvocationId id) {
  state_of(id) = kNothingWanted;
  const ExecutionLog::Caller called_by = caller_of(id);
  if (called_by.call == kNoCall || state_of(called_by.id) < 2) return nullptr;
  WantedValues& caller = *values_[state_of(called_by.id) - 2];
  const binary::FunctionFlow& flow = *invocation(called_by.id).flow;
  const binary::FunctionFlow::Position place = *flow.find_call(called_by.call);
  caller.go_back_to({place.block, place.step + 1});
  if (!caller.wants_slot(flow.blocks[place.block].steps[place.step].slot)) return nullptr;
  WantedValues& values = make_values(id, kUnknownPlace);
  values.want_returned();
  return &values;
}

bool BackwardPass::take_last(std::uint32_t thread) {
  if (threads_wanting_ == 0) [[likely]]
    return false;
  Thread& self = threads_[thread];
  if (!self.last) return false;
  self.last = false;
  if (!self.call) --threads_wanting_;
  return true;
}

bool BackwardPass::take_call(std::uint32_t thread) {
  if (threads_wanting_ == 0) [[likely]]
    return false;
  Thread& self = threads_[thread];
  if (!self.last && !self.call) return false;
  self.last = self.call = false;
  --threads_wanting_;
  return true;
}

// Wants the dependences of every operation of the thread at this place: the governing decision, the lock that it
// acquired last and still holds, and its last wait.
void BackwardPass::want_context(std::uint32_t thread, InvocationId id, const binary::FunctionFlow::Position& place) {
  want_nodes(threads_[thread].context);
  if (invocation(id).flow == nullptr)
    want_node(synchronisation_.beginning_of(thread));
  else
    get_values(id, place).want_control();
}

// Wants the dependences of an operation in a library: the call that led to it, and its context.
void BackwardPass::want_cause(std::uint32_t thread, InvocationId id) {
  want(thread, &Thread::call);
  want_context(thread, id, kUnknownPlace);
}

void BackwardPass::want_end_of(std::uint32_t thread) {
  if (thread >= ends_.size()) return;
  want_last(thread);
  want_context(thread, ends_[thread].invocation, ends_[thread].place);
}

bool BackwardPass::pass_memory(const Entry& entry, std::uint32_t thread) {
  bool relevant = false;
  if ((entry.kind & entry::kWrites) != 0) relevant = memory_.pass_write(entry.low, entry.size, thread);
  if ((entry.kind & entry::kReads) != 0) relevant = memory_.pass_read(entry.low, entry.size, thread) || relevant;
  return relevant;
}

bool BackwardPass::pass_access(const Entry& entry, WantedValues* values) {
  const std::uint8_t kind = entry.kind;
  const std::uint32_t thread = invocation(entry.invocation).thread;
  const binary::Step* step = nullptr;
  binary::FunctionFlow::Position place = kUnknownPlace;
  bool relevant = pass_memory(entry, thread);
  relevant = take_last(thread) || relevant;
  if ((kind & entry::kPlaceless) == 0 && (values != nullptr || relevant)) {
    if ((kind & entry::kPrivate) != 0) {
      const binary::FunctionFlow& flow = *invocation(entry.invocation).flow;
      place = *flow.find_private(entry.number);
      step = &flow.blocks[place.block].steps[place.step];
    } else {
      const SitePlace& site = (*sites_)[entry.number];
      place = site.place;
      step = site.step;
    }
    if (values != nullptr) {
      values->go_back_to({place.block, place.step + 1});
      relevant = values->undo(*step) || relevant;
    }
  }
  if (!relevant) return false;
  want_context(thread, entry.invocation, place);
  if (step != nullptr)
    get_values(entry.invocation, place).want(step->sources);
  else
    want_last(thread);  // without a flow table, an access may depend on all earlier ones of the thread
  if ((kind & entry::kWrites) != 0 && relations_ == Relations::All)
    memory_.want_overwritten(entry.low, entry.size, thread);
  if ((kind & entry::kReads) != 0) memory_.want_read(entry.low, entry.size);
  return true;
}

bool BackwardPass::pass_block(const Entry& entry, WantedValues* values) {
  if (values == nullptr || !values->undo_move(entry.number, static_cast<std::uint32_t>(entry.low))) return false;
  want_nodes(threads_[invocation(entry.invocation).thread].context);
  return true;
}

// The remaining wanted items depend on the call of the function or, if that is unknown, on the control flow of its
// caller.
void BackwardPass::pass_beginning(const Entry& entry, WantedValues* values) {
  if (values == nullptr) [[likely]]
    return;
  const Invocation& self = invocation(entry.invocation);
  values->undo_beginning(entry.number);
  bool control = values->wants_control();
  std::vector<std::uint32_t> arguments;
  for (std::uint32_t i = 0; i < self.flow->arguments; ++i)
    if (values->wants_argument(i)) arguments.push_back(i);
  release_values(entry.invocation);
  if (!control && arguments.empty()) return;
  const ExecutionLog::Caller called_by = caller_of(entry.invocation);
  if (called_by.id == kNoInvocation) return want_node(synchronisation_.beginning_of(self.thread));
  if (called_by.call == kNoCall) return get_values(called_by.id, kUnknownPlace).want_control();
  const binary::FunctionFlow& flow = *invocation(called_by.id).flow;
  const binary::FunctionFlow::Position place = *flow.find_call(called_by.call);
  WantedValues& caller = get_values(called_by.id, {place.block, place.step + 1});
  // A library that calls back passes other arguments than it was called with.
  if (flow.blocks[place.block].steps[place.step].arguments.size() != self.flow->arguments) control = true;
  if (control) return caller.want_call();
  for (const std::uint32_t argument : arguments) caller.want_argument(argument);
}

bool BackwardPass::pass_call(const Entry& entry, WantedValues* values) {
  const std::uint32_t thread = invocation(entry.invocation).thread;
  const bool last = take_call(thread);
  if (values == nullptr && !last) [[likely]]
    return false;
  const binary::FunctionFlow& flow = *invocation(entry.invocation).flow;
  const binary::FunctionFlow::Position place = *flow.find_call(entry.number);
  if (values == nullptr) values = &make_values(entry.invocation, {place.block, place.step + 1});
  values->go_back_to({place.block, place.step + 1});
  if (last) values->want_call();
  if (!values->undo_call(flow.blocks[place.block].steps[place.step])) return false;
  want_context(thread, entry.invocation, place);
  return true;
}

bool BackwardPass::pass_synchronisation(const Entry& entry) {
  const std::uint32_t thread = invocation(entry.invocation).thread;
  const auto node = static_cast<NodeId>(entry.low);
  threads_[thread].context = synchronisation_.before(node);
  const bool last = take_last(thread);
  if (!last && !nodes_[node]) return false;
  for (const NodeId on : synchronisation_.dependences_of(node)) want_node(on);
  want_cause(thread, entry.invocation);
  return true;
}

bool BackwardPass::pass_free(const Entry& entry) {
  const std::uint32_t thread = invocation(entry.invocation).thread;
  const bool wanted = memory_.pass_write(entry.low, entry.size, thread);
  if (!take_last(thread) && !wanted) return false;
  if (relations_ == Relations::All) memory_.want_overwritten(entry.low, entry.size, thread);
  want_cause(thread, entry.invocation);
  return true;
}

bool BackwardPass::pass_entry(const Entry& entry, WantedValues* values) {
  if (entry::is_access(entry.kind)) return pass_access(entry, values);
  switch (entry.kind) {
    case entry::kBlock:
      return pass_block(entry, values);
    case entry::kEnter:
      pass_beginning(entry, values);
      return false;
    case entry::kCall:
      return pass_call(entry, values);
    case entry::kFree:
      return pass_free(entry);
    default:
      return pass_synchronisation(entry);
  }
}

void BackwardPass::run(const Relevant& relevant, const HasPassed& passed) {
  struct {
    BackwardPass& self;
    const Relevant& relevant;
    const HasPassed& has_passed;
    WantedValues* values = nullptr;  // of the invocation in the last call of interest_in()

    Interest interest_in(InvocationId id) {
      values = self.find_values(id);
      if (self.threads_wanting_ != 0 && self.wants_any_of(self.invocation(id).thread)) return Interest::All;
      if (values == nullptr) return Interest::None;
      return values->is_live() ? Interest::Values : Interest::Moves;
    }
    std::uint32_t slot_of(std::uint8_t kind, std::uint32_t number) const {
      if ((kind & (entry::kPlaceless | entry::kPrivate)) != 0 || number >= self.sites_->size()) return binary::kNoSlot;
      const binary::Step* step = (*self.sites_)[number].step;
      return step != nullptr ? step->slot : binary::kNoSlot;
    }
    // REQUIRES: interest_in() has returned Values, and no entry was visited since.
    bool wants_slot(std::uint32_t slot) const { return values->wants_slot(slot); }
    // REQUIRES: interest_in() has returned Moves, and no entry was visited since.
    SkipResult try_skip_block(std::uint32_t block, std::uint32_t from) const {
      if (!values->skip_move(block, from)) return SkipResult::NotSkipped;
      return values->is_live() ? SkipResult::InterestChanged : SkipResult::Skipped;
    }
    // REQUIRES: as try_skip_block().
    bool skips_calls() const { return !values->wants_call(); }
    static_assert(ExecutionLog::kFilterBlock <= WantedMemory::kFilterBlock);
    static std::uint64_t filter_place(std::uint64_t low_address) { return WantedMemory::filter_place(low_address); }
    bool may_be_wanted_at_place(std::uint64_t place) const { return self.memory_.may_be_wanted_at_place(place); }
    bool may_be_overwritten_at_place(std::uint64_t place) const {
      return self.memory_.may_be_overwritten_at_place(place);
    }
    bool may_be_wanted(std::uint64_t low_address, std::uint64_t size) const {
      return self.memory_.may_be_wanted(low_address, size);
    }
    void visit(LogPlace at, std::uint64_t event, const Entry& entry) const {
      if (self.pass_entry(entry, values)) relevant(at, entry, self.invocation(entry.invocation).thread, event);
    }
  } pass{*this, relevant, passed};
  std::uint64_t events_before = 0;
  for (const LoggedPart& part : parts_) events_before += part.log->events();
  for (std::size_t i = parts_.size(); i-- > 0;) {
    events_before -= parts_[i].log->events();
    sites_ = parts_[i].sites;
    parts_[i].log->go_back(pass, events_before);
    passed(LogPlace{i} << 32);
  }
}

}  // namespace heddle::slice
