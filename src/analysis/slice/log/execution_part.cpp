#include "slice/log/execution_part.h"

#include <algorithm>

#include "abi/flow.h"

namespace heddle::slice {
namespace {

using format::EventKind;

std::uint8_t access_flags(EventKind kind) {
  std::uint8_t flags = format::is_read_access(kind) ? entry::kReads : 0;
  if (format::is_write_access(kind)) flags |= entry::kWrites;
  return flags;
}

}  // namespace

Invocations& ExecutionPart::find_thread(std::uint32_t number) {
  const auto begins = number_ == 0 ? Invocations::Begins::Here : Invocations::Begins::Earlier;
  while (threads_.size() <= number) threads_.emplace_back(static_cast<std::uint32_t>(threads_.size()), log_, begins);
  return threads_[number];
}

void ExecutionPart::take_block(Invocations& self, std::uint64_t row, std::uint64_t row_address, std::uint32_t point,
                               std::uint64_t base) {
  const binary::FunctionFlow* flow = catalog_.flow_at(row_address);
  if (flow == nullptr) return;
  has_flow_ = true;
  self.reach(*flow, row, point, base);
}

std::size_t ExecutionPart::take_in_place(std::span<const std::uint64_t> words, ThreadId thread_id) {
  constexpr std::size_t kBlockWords = 3;
  constexpr std::uint64_t kBlockHead = format::ring_head(EventKind::Branch, format::kHasValue, 0, 0);
  Invocations& self = thread(number(thread_id));
  std::size_t at = 0;
  std::uint64_t records = 0;
  for (; words.size() - at >= kBlockWords; ++records) {
    const std::uint64_t head = words[at];
    if (format::is_compact(head)) {
      const std::size_t slot = format::compact_slot_of(head);
      if (slot >= compact_accesses_.size() || compact_accesses_[slot].place.flow == nullptr) break;
      if (!take_known(compact_accesses_[slot], self, format::compact_address(head))) break;
      ++at;
    } else {
      if (static_cast<std::uint32_t>(head) != kBlockHead) break;
      const std::uint64_t row = words[at + 1], base = words[at + 2];
      const auto point = static_cast<std::uint32_t>(head >> 32);
      if (!self.move_inside(row, point, base)) take_block(self, row, row, point, base);
      at += kBlockWords;
    }
  }
  records_ += records;
  return at;
}

void ExecutionPart::take(trace::HeadState& head, std::uint64_t object, std::uint64_t value) {
  const auto site = static_cast<std::uint32_t>(head.head >> 32);
  const trace::Event record{.object = object,
                            .value = value,
                            .thread = thread_id_,
                            .site = site,
                            .size = static_cast<std::uint16_t>(head.head >> 16),
                            .kind = static_cast<EventKind>(head.head & 0xff),
                            .flags = static_cast<std::uint8_t>(head.head >> 8)};
  if (std::bit_cast<QuickHead>(head.note).kind == QuickHead::Kind::Other) return take_other(record);
  const KnownAccess& known = known_accesses_[head.number];
  if (known.place.flow != nullptr && (value & known.value_mask) == known.value &&
      take_known(known, *self_, address_of(object))) [[likely]]
    return;
  take_uncommon(head, record);
}

void ExecutionPart::take_other(trace::Event record) {
  if (format::object_is_address(record.kind)) record.object = address_of(record.object);
  take_one(record);
}

QuickHead ExecutionPart::quick_head(const KnownAccess& access) {
  const std::uint32_t word = ExecutionLog::Tail::word_of(access.form);
  const std::uint64_t place = packed_place::pack(*access.place.flow, access.place.place.block, access.place.place.step);
  if (word == 0 || place == packed_place::kNowhere) return {};
  return {place, word, static_cast<std::uint16_t>(access.form.number), static_cast<std::uint8_t>(access.form.size),
          access.value_mask != 0 ? QuickHead::Kind::Range : QuickHead::Kind::Access};
}

QuickHead ExecutionPart::quick_head(std::uint32_t block) {
  if (block == 0) return {.kind = QuickHead::Kind::Beginning};
  const std::uint32_t word = ExecutionLog::Tail::word_of_block(block);
  if (word == 0) return {};
  return {std::uint64_t{block} << packed_place::kBlockShift, word, 0, 0, QuickHead::Kind::Block};
}

void ExecutionPart::take_uncommon(trace::HeadState& head, trace::Event record) {
  if (known_accesses_.size() <= head.number) known_accesses_.resize(head.number + 1);
  if (record.kind == EventKind::Branch && record.size == 0) {
    head.note = std::bit_cast<trace::HeadState::Note>(quick_head(record.site));
    return take_block(*self_, record.object, address_of(record.object), record.site, record.value);
  }
  if (record.kind != EventKind::Branch && !format::is_access(record.kind)) {
    head.note = std::bit_cast<trace::HeadState::Note>(QuickHead{.kind = QuickHead::Kind::Other});
    return take_other(record);
  }
  if (format::object_is_address(record.kind)) record.object = address_of(record.object);
  if (format::is_access(record.kind)) {
    const KnownAccess& known = known_accesses_[head.number] = known_access(record);
    if (known.place.flow != nullptr) {
      head.note = std::bit_cast<trace::HeadState::Note>(quick_head(known));
      if (take_known(known, *self_, record.object)) return;
    }
  }
  take_one(record);
}

void ExecutionPart::take(const trace::Event& record) {
  ++records_;
  take_one(record);
  if (!format::is_introduction(format::ring_head(record.kind, record.flags, record.size, record.site))) return;
  if (compact_accesses_.empty()) compact_accesses_.resize(format::kCompactSlots);
  compact_accesses_[format::compact_slot(record.site)] = known_access(record);
}

void ExecutionPart::take_one(const trace::Event& record) {
  if (format::is_access(record.kind)) return take_access(record);
  Invocations& self = thread(number(record.thread));
  switch (record.kind) {
    case EventKind::Branch:
      if (record.size == 0) return take_block(self, record.object, record.object, record.site, record.value);
      return self.access_privately(record.site, record.size == HEDDLE_PRIVATE_EVENT_WRITE, record.object,
                                   std::min(record.value, trace::kRangeMax));
    case EventKind::Iteration:
      return state_.iterations.take(record, log_.next());
    case EventKind::Alloc:
    case EventKind::Free:
      return take_memory(record);
    default:
      if (Synchronisation::is_known(record.kind)) take_synchronisation(record);
  }
}

void ExecutionPart::take_access(const trace::Event& record) {
  Invocations& self = thread(number(record.thread));
  const SitePlace& place = catalog_.place_of(record.site);
  InvocationId invocation = place.flow != nullptr ? self.at_access(*place.flow, place.place) : kNoInvocation;
  std::uint8_t flags = access_flags(record.kind);
  if (invocation == kNoInvocation) {
    flags |= entry::kPlaceless;
    invocation = self.current();
  }
  log_.add_access(flags, record.object, trace::access_size(record), invocation, record.site);
}

ExecutionPart::KnownAccess ExecutionPart::known_access(const trace::Event& record) {
  const SitePlace& place = catalog_.place_of(record.site);
  if (place.flow == nullptr) return {};
  const std::uint64_t size = trace::access_size(record);
  const AccessForm form = log_.form_of(access_flags(record.kind), size, record.site);
  if (!form) return {};
  const bool is_range = format::is_range_access(record.kind);
  return {place, form, is_range ? record.value : 0, is_range ? ~std::uint64_t{0} : 0};
}

void ExecutionPart::take_synchronisation(const trace::Event& record) {
  log_.add_synchronisation(thread(number(record.thread)).current(), record.site);
  if (number_ == 0)
    state_.synchronisation.take(record);
  else
    synchronisations_.push_back(record);
}

void ExecutionPart::take_memory(const trace::Event& record) {
  if (record.kind == EventKind::Alloc) {
    state_.allocated[record.object] = record.value;
    return;
  }
  const InvocationId invocation = thread(number(record.thread)).current();
  const auto known = state_.allocated.find(record.object);
  if (known == state_.allocated.end()) {
    if (number_ == 0) return;
    unsettled_frees_.push_back(
        {record.object, log_.add_unsettled(entry::kFree, record.object, 0, invocation, record.site)});
    state_.allocated[record.object] = kFreed;
  } else if (known->second != kFreed) {
    log_.add_free(record.object, known->second, invocation, record.site);
    known->second = kFreed;
    if (number_ == 0) state_.allocated.erase(known);
  }
}

bool ExecutionPart::join(ExecutionState& state) {
  if (log_.has_too_many_stand_ins()) return false;
  if (state.threads.size() < threads_.size()) state.threads.resize(threads_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (!threads_[i].join(state.threads[i])) return false;
  if (number_ == 0) return true;

  log_.set_synchronisations_before(state.synchronisation.count());
  for (const trace::Event& record : synchronisations_.span()) state.synchronisation.take(record);
  for (const UnsettledFree& free : unsettled_frees_) {
    const auto known = state.allocated.find(free.address);
    if (known != state.allocated.end())
      log_.set_size(free.entry, known->second);
    else
      log_.cancel(free.entry);
  }
  for (const auto& [address, size] : own_state_.allocated) {
    if (size == kFreed)
      state.allocated.erase(address);
    else
      state.allocated[address] = size;
  }
  state.iterations.append(own_state_.iterations);
  return true;
}

}  // namespace heddle::slice
