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
#include "slice/log/loop_spans.h"
#include "slice/log/synchronisation_history.h"
#include "trace/event.h"
#include "trace/file/event_model.h"
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

// What comes of most events with a head, in its note: they are logged with a word, in the innermost function.
struct QuickHead {
  enum class Kind : std::uint8_t {
    None,       // it has to be looked at
    Other,      // neither an access nor a block
    Beginning,  // of a function
    Block,      // or a call
    Access,
    Range,  // an access whose value is the size
  };

  std::uint64_t place = 0;  // packed, of a block without the function
  std::uint32_t word = 0;   // what all of its entries have in common
  std::uint16_t form = 0;
  std::uint8_t size = 0;
  Kind kind = Kind::None;
};

// Hears a part of an execution and logs which invocation each record belongs to. Parts can be heard side by side: what
// one of them cannot know before those before it have been heard, it leaves to join().
class ExecutionPart {
 public:
  // `number`: of the part, from 0. `state`: of the execution, which the first part fills in at once. All outlive this.
  ExecutionPart(std::uint32_t number, FlowFiles& files, ExecutionState& state)
      : number_(number), log_(number), catalog_(files), state_(number == 0 ? state : own_state_) {}

  FlowCatalog& catalog() { return catalog_; }
  const FlowCatalog& catalog() const { return catalog_; }

  void take(const trace::Event& record);
  // How many words of records that are told often `words` begins with; it has taken them. All are of this thread.
  std::size_t take_in_place(std::span<const std::uint64_t> words, ThreadId thread);

  // As a trace has kept them (trace::EventDecoder::visit()). `module_begins`: by number of the module, for all that
  // trace::is_in_module(). REQUIRES: all of the part is told in this way.
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
  class LoopSpan;
  LoopSpan begin_batch();

  // `state`: of the execution before this part, and then after it. False: the part does not go on where those before it
  // have ended, and has to be heard after them. REQUIRES: it has ended.
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
      return object;  // no address has the uppermost bit
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
  std::deque<Invocations> threads_;  // stay where they are when there are more
  std::uint32_t last_number_ = ~std::uint32_t{0};
  Invocations* last_thread_ = nullptr;
  std::vector<KnownAccess> short_accesses_;  // by format::compact_slot(), of what is told in place
  // Of what is told as a trace.
  std::vector<std::uint64_t> module_begins_;
  std::vector<KnownAccess> known_accesses_;  // by the numbers of their heads in the chunk
  ThreadId thread_id_ = kMainThread;
  Invocations* self_ = nullptr;
  // Of a part that is not the first.
  GrowingArray<trace::Event> synchronisations_;
  std::vector<UnsettledFree> unsettled_frees_;
  bool has_flow_ = false;
  std::uint64_t records_ = 0;
};

// Events of one thread, nearly all of which it does where it is. What it takes to log these is copied, so that a loop
// has it in registers.
class ExecutionPart::LoopSpan {
 public:
  explicit LoopSpan(ExecutionPart& part) : part_(&part), tail_(part.log_) { find_place(); }

  // False: it has to be taken slowly.
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
      part_->log_.go_on_in(part_->self_->innermost().invocation);
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
    if (packed - place_ >= packed_place::kSteps) return true;  // it does not come next
    if (!tail_.add_call(number)) return false;
    place_ = packed + 1;
    call_ = number;
    return true;
  }

  ExecutionPart* part_;
  ExecutionLog::Tail tail_;
  // Of the innermost function. `end_` is 0 as long as the log goes on in another one.
  const binary::FunctionFlow* flow_ = nullptr;
  std::uint64_t place_ = 0, function_ = 0, end_ = 0;
  std::uint64_t row_ = 0, base_ = 0;
  std::uint32_t call_ = kNoCall;
};

inline ExecutionPart::LoopSpan ExecutionPart::begin_batch() { return LoopSpan(*this); }

}  // namespace heddle::slice
