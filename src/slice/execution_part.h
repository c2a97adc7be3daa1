#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/compact_access.h"
#include "slice/execution_log.h"
#include "slice/flow_catalog.h"
#include "slice/invocations.h"
#include "slice/iteration_stretches.h"
#include "slice/synchronisation_history.h"
#include "trace/event.h"
#include "trace/object.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// What is known of an execution besides its log, as far as it has been heard. Threads by number.
struct ExecutionState {
  std::vector<ThreadFrames> threads;
  SynchronisationHistory synchronisation;
  std::unordered_map<std::uint64_t, std::uint64_t> allocated;  // bytes by address
  IterationStretches iterations;
};

// Hears a part of an execution and logs which invocation each record belongs to. Parts can be heard side by side: what one of them
// cannot know before those before it have been heard, it leaves to join().
class ExecutionPart {
 public:
  // `number`: of the part, from 0. `state`: of the execution, which the first part fills in at once. All outlive this.
  ExecutionPart(std::uint32_t number, FlowFiles& files, ExecutionState& state)
      : number_(number), log_(number), catalog_(files), state_(number == 0 ? state : own_state_) {}

  FlowCatalog& catalog() { return catalog_; }
  const FlowCatalog& catalog() const { return catalog_; }

  void take(const trace::RingRecord& record);
  // How many words of records that are told often `words` begins with; it has taken them. All are of this thread.
  std::size_t take_in_place(std::span<const std::uint64_t> words, ThreadId thread);

  // As a trace has kept them (trace::EventDecoder::tell()). `module_begins`: by number of the module, for all that
  // trace::is_in_module(). REQUIRES: all of the part is told in this way.
  void set_module_begins(std::vector<std::uint64_t> module_begins) { module_begins_ = std::move(module_begins); }
  void begin_chunk(std::uint32_t events) {
    known_heads_.clear();
    records_ += events;
  }
  void enter(ThreadId thread_id) {
    thread_id_ = thread_id;
    self_ = &thread(number(thread_id));
  }
  void take(std::uint64_t head, std::uint32_t head_number, std::uint64_t object, std::uint64_t value);
  void take_new(std::uint32_t head_number, const trace::Event& event);

  // `state`: of the execution before this part, and then after it. False: the part does not go on where those before it have
  // ended, and has to be heard after them. REQUIRES: it has ended.
  bool join(ExecutionState& state);

  const ExecutionLog& log() const { return log_; }
  ExecutionLog& log() { return log_; }
  std::uint64_t records() const { return records_; }
  bool has_flow() const { return has_flow_; }  // a function was come to that tells how values flow

 private:
  // What accesses of a site stand for. Without a flow: nothing that is known.
  struct KnownAccess {
    SitePlace place;
    AccessForm form;
    std::uint64_t value = 0, value_mask = 0;  // of a range all bits matter, of others none
  };
  // What all events with a head are. Access: of a function that tells how values flow.
  struct alignas(64) KnownHead {
    enum class Kind : std::uint8_t { Other, Block, Access } kind = Kind::Other;
    KnownAccess access = {};
  };
  struct UnsettledFree {
    std::uint64_t address;
    ExecutionLog::Unsettled entry;
  };
  static constexpr std::uint64_t kFreed = ~std::uint64_t{0};  // in place of a size

  Invocations& thread(std::uint32_t number) {
    if (number != last_number_) [[unlikely]] {
      last_number_ = number;
      last_thread_ = &find_thread(number);
    }
    return *last_thread_;
  }
  Invocations& find_thread(std::uint32_t number);
  void take_one(const trace::RingRecord& record);
  void take_uncommon(std::uint32_t head_number, trace::RingRecord record);
  std::uint64_t address_of(std::uint64_t object) const {
    if (static_cast<std::int64_t>(object) >= 0) [[likely]] return object;  // no address has the uppermost bit
    return trace::is_in_module(object) ? module_begins_[trace::module_of(object)] + trace::offset_of(object) : object;
  }
  void take_block(Invocations& self, std::uint64_t row, std::uint64_t row_address, std::uint32_t point, std::uint64_t base);
  void take_access(const trace::RingRecord& record);
  void take_memory(const trace::RingRecord& record);
  void take_synchronisation(const trace::RingRecord& record);
  KnownAccess known_access(const trace::RingRecord& record);
  // REQUIRES: access.place.flow.
  [[gnu::always_inline]] bool take_known(const KnownAccess& access, Invocations& self, std::uint64_t address) {
    const InvocationId invocation = self.at_access(*access.place.flow, access.place.place);
    if (invocation == kNoInvocation) return false;
    log_.add_access(access.form, address, invocation);
    return true;
  }

  const std::uint32_t number_;
  ExecutionLog log_;
  FlowCatalog catalog_;
  ExecutionState own_state_;
  ExecutionState& state_;
  std::deque<Invocations> threads_;  // stay where they are when there are more
  std::uint32_t last_number_ = ~std::uint32_t{0};
  Invocations* last_thread_ = nullptr;
  std::vector<KnownAccess> short_accesses_;  // by format::compact_slot(), of what is told in place
  // Of what is told as a trace.
  std::vector<std::uint64_t> module_begins_;
  std::vector<KnownHead> known_heads_;  // by their numbers in the chunk
  ThreadId thread_id_ = kMainThread;
  Invocations* self_ = nullptr;
  // Of a part that is not the first.
  std::vector<trace::RingRecord> synchronisations_;
  std::vector<UnsettledFree> unsettled_frees_;
  bool has_flow_ = false;
  std::uint64_t records_ = 0;
};

[[gnu::always_inline]] inline void ExecutionPart::take(std::uint64_t head, std::uint32_t head_number, std::uint64_t object,
                                                       std::uint64_t value) {
  const auto site = static_cast<std::uint32_t>(head >> 32);
  const KnownHead& known = known_heads_[head_number];
  if (known.kind == KnownHead::Kind::Block) {
    if (!self_->move_inside(object, site, value)) take_block(*self_, object, address_of(object), site, value);
    return;
  }
  if (known.kind == KnownHead::Kind::Access && (value & known.access.value_mask) == known.access.value &&
      take_known(known.access, *self_, address_of(object))) [[likely]]
    return;
  take_uncommon(head_number, {static_cast<format::EventKind>(head & 0xff), static_cast<std::uint8_t>(head >> 8),
                              static_cast<std::uint16_t>(head >> 16), site, object, value, thread_id_});
}

}  // namespace heddle::slice
