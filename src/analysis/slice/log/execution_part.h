#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/compact_access.h"
#include "slice/log/execution_log.h"
#include "slice/log/flow_catalog.h"
#include "slice/log/invocations.h"
#include "slice/log/iteration_spans.h"
#include "slice/log/synchronisation.h"
#include "trace/event.h"
#include "trace/file/event_model.h"
#include "trace/object.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// State of an execution besides its log.
struct ExecutionState {
  std::vector<ThreadFrames> threads;  // by number
  SynchronisationHistory synchronisation;
  std::unordered_map<std::uint64_t, std::uint64_t> allocated;  // bytes by address
  IterationSpans iterations;
};

// How to log the events with one ring head, kept in the head's note (trace::HeadState). Most are logged as one word, if
// they are in the innermost function.
struct QuickHead {
  enum class Kind : std::uint8_t {
    None,       // not decided; each event is logged by the slow path
    Other,      // neither an access nor a block
    Beginning,  // of a function
    Block,      // or a call
    Access,
    Range,  // an access whose value is the size
  };

  std::uint64_t place = 0;  // packed; of a block without the function
  std::uint32_t word = 0;   // the constant part of its words
  std::uint16_t form = 0;
  std::uint8_t size = 0;
  Kind kind = Kind::None;
};

// Logs one part of an execution and assigns each record to its function invocation.
//
// Records come in two ways: from the ring, where take_in_place() handles the frequent ones as words, or from a trace,
// whose decoder calls the functions of a sink (trace::EventDecoder::visit()), where Batch handles the frequent ones.
// Frequent are accesses and moves in the innermost function.
//
// Parts can be logged in parallel. A later part does not know the functions that are active at its beginning, the sizes
// of memory allocated before, or the synchronisation so far. It makes assumptions, which join() verifies and completes.
class ExecutionPart {
 public:
  // `number`: of the part, from 0. `state`: of the execution; the first part updates it directly. All outlive this.
  ExecutionPart(std::uint32_t number, FlowFiles& files, ExecutionState& state)
      : number_(number), log_(number), catalog_(files), state_(number == 0 ? state : own_state_) {}

  FlowCatalog& catalog() { return catalog_; }
  const FlowCatalog& catalog() const { return catalog_; }

  void take(const trace::Event& record);
  // Logs the frequent records at the beginning of `words`, which are of this thread. Returns their number of words.
  std::size_t take_in_place(std::span<const std::uint64_t> words, ThreadId thread);

  // The sink of trace::EventDecoder::visit(). `module_begins`: by number of the module, for addresses in modules.
  // REQUIRES: the whole part is logged in this way.
  void set_module_begins(std::vector<std::uint64_t> module_begins) { module_begins_ = std::move(module_begins); }
  void begin_chunk(std::uint32_t events) {
    known_accesses_.clear();
    records_ += events;
  }
  void enter(ThreadId thread_id) {
    thread_id_ = thread_id;
    self_ = &thread(number(thread_id));
  }
  void take_new(trace::HeadState& head, const trace::Event& event) { take_uncommon(head, event); }
  class Batch;
  Batch begin_batch();

  // Advances `state` from the end of the previous part to the end of this one. False if an assumption does not hold;
  // then the execution has to be logged in one part. REQUIRES: the part is complete.
  bool join(ExecutionState& state);

  const ExecutionLog& log() const { return log_; }
  ExecutionLog& log() { return log_; }
  std::uint64_t records() const { return records_; }
  bool has_flow() const { return has_flow_; }  // a function with a flow table was reached

 private:
  // The constant properties of accesses at a site; `place.flow` is nullptr if unknown.
  struct KnownAccess {
    SitePlace place;
    AccessForm form;
    std::uint64_t value = 0, value_mask = 0;  // all bits of a range's value must match, none of others
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
  void take_one(const trace::Event& record);
  void take(trace::HeadState& head, std::uint64_t object, std::uint64_t value);
  void take_uncommon(trace::HeadState& head, trace::Event record);
  void take_other(trace::Event record);
  std::uint64_t address_of(std::uint64_t object) const {
    if (static_cast<std::int64_t>(object) >= 0) [[likely]]
      return object;  // addresses do not have the upper bit
    return trace::is_in_module(object) ? module_begins_[trace::module_of(object)] + trace::offset_of(object) : object;
  }
  void take_block(Invocations& self, std::uint64_t row, std::uint64_t row_address, std::uint32_t point,
                  std::uint64_t base);
  void take_access(const trace::Event& record);
  void take_memory(const trace::Event& record);
  void take_synchronisation(const trace::Event& record);
  KnownAccess known_access(const trace::Event& record);
  static QuickHead quick_head(const KnownAccess& access);
  static QuickHead quick_head(std::uint32_t block);
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
  std::deque<Invocations> threads_;  // with stable addresses
  std::uint32_t last_number_ = ~std::uint32_t{0};
  Invocations* last_thread_ = nullptr;
  std::vector<KnownAccess> compact_accesses_;  // by format::compact_slot(), for the ring
  // For a trace.
  std::vector<std::uint64_t> module_begins_;
  std::vector<KnownAccess> known_accesses_;  // by HeadState::number in the chunk
  ThreadId thread_id_ = kMainThread;
  Invocations* self_ = nullptr;
  // For parts but the first.
  GrowingArray<trace::Event> synchronisations_;
  std::vector<UnsettledFree> unsettled_frees_;
  bool has_flow_ = false;
  std::uint64_t records_ = 0;
};

// Logs the consecutive events of one thread. Copies the state for events in the innermost function, so that the
// decoder's loop keeps it in registers. end() writes it back.
class ExecutionPart::Batch {
 public:
  explicit Batch(ExecutionPart& part) : part_(&part), tail_(part.log_) { find_place(); }

  // False, without effect, if the event needs take_slowly().
  [[gnu::always_inline]] bool take(const trace::HeadState& head, std::uint64_t object, std::uint64_t value) {
    const auto quick = std::bit_cast<QuickHead>(head.note);
    if (quick.kind >= QuickHead::Kind::Access) {
      if (quick.place - place_ < packed_place::kSteps &&
          (quick.kind == QuickHead::Kind::Access || value == quick.size) &&
          tail_.add_access(quick.word, quick.form, quick.size, part_->address_of(object))) [[likely]] {
        place_ = quick.place + 1;
        return true;
      }
    } else if (quick.kind == QuickHead::Kind::Block && object == row_ && value == base_) [[likely]] {
      if (quick.place >= end_) return take_call(packed_place::block_of(quick.place - end_));
      if (!tail_.add_block(quick.word, packed_place::block_of(place_))) return false;
      place_ = function_ | quick.place;
      call_ = kNoCall;
      return true;
    }
    return false;
  }
  void take_slowly(trace::HeadState& head, std::uint64_t object, std::uint64_t value) {
    end();
    const QuickHead::Kind kind = std::bit_cast<QuickHead>(head.note).kind;
    if (kind == QuickHead::Kind::Block && part_->self_->leave_for_caller(object, value)) {
      part_->log_.resume_in(part_->self_->innermost().invocation);
      begin();
      if (take(head, object, value)) return;
      end();
    }
    if (kind == QuickHead::Kind::Block || kind == QuickHead::Kind::Beginning)
      part_->take_block(*part_->self_, object, part_->address_of(object), static_cast<std::uint32_t>(head.head >> 32),
                        value);
    else
      part_->take(head, object, value);
    begin();
  }
  void end() {
    tail_.put_back(part_->log_);
    if (end_ == 0) return;
    Frame& frame = part_->self_->innermost();
    frame.block = packed_place::block_of(place_);
    frame.step = packed_place::step_of(place_);
    frame.call = call_;
  }

 private:
  void begin() {
    tail_ = ExecutionLog::Tail(part_->log_);
    find_place();
  }
  void find_place() {
    const Frame& frame = part_->self_->innermost();
    end_ = 0;
    place_ = packed_place::kNowhere;
    row_ = ~std::uint64_t{0};
    if (frame.blocks == 0 || frame.blocks > ExecutionLog::Tail::kBlocksMax || frame.invocation != part_->log_.current())
      return;
    place_ = packed_place::pack(*frame.flow, frame.block, frame.step);
    if (place_ == packed_place::kNowhere) return;
    function_ = packed_place::pack(*frame.flow, 0, 0);
    end_ = packed_place::pack(*frame.flow, frame.blocks, 0) - function_;
    flow_ = frame.flow;
    row_ = frame.row;
    base_ = frame.base;
    call_ = frame.call;
  }
  bool take_call(std::uint32_t number) {
    if (end_ == 0) return false;
    const binary::FunctionFlow::Position* place = flow_->find_call(number);
    if (place == nullptr) return true;
    const std::uint64_t packed = packed_place::pack(*flow_, place->block, place->step);
    if (packed == packed_place::kNowhere) return false;
    if (packed - place_ >= packed_place::kSteps) return true;  // not the next step
    if (!tail_.add_call(number)) return false;
    place_ = packed + 1;
    call_ = number;
    return true;
  }

  ExecutionPart* part_;
  ExecutionLog::Tail tail_;
  // Of the innermost function. `end_` is 0 while the log's run is of another one.
  const binary::FunctionFlow* flow_ = nullptr;
  std::uint64_t place_ = 0, function_ = 0, end_ = 0;
  std::uint64_t row_ = 0, base_ = 0;
  std::uint32_t call_ = kNoCall;
};

inline ExecutionPart::Batch ExecutionPart::begin_batch() { return Batch(*this); }

}  // namespace heddle::slice
