#pragma once
// What a part of an execution did, in the form in which it can be gone through from its end: which invocation of which
// function every access, block and call belongs to.
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "binary/sections/flow_rows.h"
#include "slice/log/dependences.h"
#include "slice/log/growing_array.h"
#include "trace/recent_map.h"

namespace heddle::slice {

// From its uppermost bits: the part in which it began (3 bits), its number there. The lowest numbers of a part stand
// for invocations that began in an earlier one, and ExecutionLog::resolve() tells which.
using InvocationId = std::uint32_t;
inline constexpr InvocationId kNoInvocation = 0;
inline constexpr std::uint32_t kNoCall = ~std::uint32_t{0};
inline constexpr std::uint32_t kCallOfStandIn = kNoCall - 1;  // where the caller was when the part began
inline constexpr unsigned kInvocationPartShift = 29;
inline constexpr std::uint32_t kPartsMax = 1u << (32 - kInvocationPartShift);
inline constexpr std::uint32_t kInvocationNumberMask = (1u << kInvocationPartShift) - 1;
inline constexpr std::uint32_t kEarlierMax = 1u << 16;  // numbers that stand for others

constexpr std::uint32_t part_of(InvocationId id) { return id >> kInvocationPartShift; }
constexpr bool stands_for_another(InvocationId id) { return (id & kInvocationNumberMask) < kEarlierMax; }
// Among those that began in its part. REQUIRES: it stands for no other.
constexpr std::uint32_t index_of(InvocationId id) { return (id & kInvocationNumberMask) - kEarlierMax; }

// Where in the log of all parts: later ones are at larger places.
using LogPlace = std::uint64_t;

// The flags of accesses make up kinds of their own below the others.
namespace entry {
inline constexpr std::uint8_t kReads = 1, kWrites = 2;
inline constexpr std::uint8_t kPrivate = 4;    // no event: nobody else can see it
inline constexpr std::uint8_t kPlaceless = 8;  // of code that does not tell how its values flow
inline constexpr std::uint8_t kEnter = 16;     // an invocation begins with this block
inline constexpr std::uint8_t kBlock = 17;
inline constexpr std::uint8_t kCall = 18;
inline constexpr std::uint8_t kSynchronisation = 19;
inline constexpr std::uint8_t kFree = 20;
constexpr bool is_access(std::uint8_t kind) { return kind < kEnter; }
}  // namespace entry

// What a thread did at one point.
struct Entry {
  std::uint8_t kind = 0;
  InvocationId invocation = kNoInvocation;
  std::uint32_t number = 0;  // an event: SiteId; a private access, a block, a call: its number in the function
  std::uint64_t low =
      0;  // access, free: address; block: the one that the thread came from; synchronisation: its NodeId
  std::uint64_t size = 0;  // access, free: bytes
};

struct Invocation {
  const binary::FunctionFlow* flow = nullptr;  // nullptr: all that a thread does outside of functions that are known
  InvocationId caller = kNoInvocation;
  std::uint32_t call = kNoCall;  // of the caller, in which it was when this began
  std::uint32_t thread = 0;
};

// All that is the same each time an instruction makes its access.
struct AccessForm {
  std::uint32_t number = 0;
  std::uint32_t size = 0;
  bool is_silent = false;  // no event

  explicit operator bool() const { return number != 0; }
};

// What somebody who goes back through an execution wants to know of an invocation.
enum class Interest {
  None,
  Moves,   // blocks, calls, its beginning
  Values,  // these, and accesses that set a slot that is wanted
  All,
};

// What has come of a block that somebody would rather not visit.
enum class Passed {
  Not,  // it has to be visited
  Quietly,
  AndInterested,  // it need not be, but the interest is another one from here on
};

class ExecutionLog {
 public:
  explicit ExecutionLog(std::uint32_t part = 0) : part_(part) {}

  InvocationId begin_invocation(const Invocation& invocation) {
    invocations_.push_back(invocation);
    return part_ << kInvocationPartShift | (kEarlierMax + static_cast<std::uint32_t>(invocations_.size() - 1));
  }
  // REQUIRES: it began in this part.
  const Invocation& invocation(InvocationId id) const { return invocations_[index_of(id)]; }
  // By index_of().
  std::span<const Invocation> invocations() const { return invocations_.span(); }

  // An invocation, and the last call that it has made, if it is still in it.
  struct Caller {
    InvocationId id = kNoInvocation;
    std::uint32_t call = kNoCall;
  };
  // Stands for an invocation that began in an earlier part, until it is known which.
  InvocationId add_stand_in() {
    stands_for_.push_back({});
    return part_ << kInvocationPartShift | static_cast<std::uint32_t>(stands_for_.size() % kEarlierMax);
  }
  bool has_too_many_stand_ins() const { return stands_for_.size() >= kEarlierMax; }
  void set_stand_in(InvocationId id, const Caller& other) { stands_for_[(id & kInvocationNumberMask) - 1] = other; }
  // REQUIRES: of this part, not kNoInvocation, and all that stands in for others is known.
  InvocationId resolve(InvocationId id) const {
    return stands_for_another(id) ? stands_for_[(id & kInvocationNumberMask) - 1].id : id;
  }
  // REQUIRES: the same, and it began in this part.
  Caller caller_of(InvocationId id) const {
    const Invocation& self = invocation(id);
    if (self.caller == kNoInvocation || !stands_for_another(self.caller)) [[likely]]
      return {self.caller, self.call};
    const Caller& other = stands_for_[(self.caller & kInvocationNumberMask) - 1];
    return {other.id, self.call == kCallOfStandIn ? other.call : self.call};
  }

  // That of accesses that have these flags, this number and this size. False for one that has none.
  AccessForm form_of(std::uint8_t flags, std::uint64_t size, std::uint32_t number);
  // REQUIRES: form.
  [[gnu::always_inline]] void add_access(const AccessForm& form, std::uint64_t address, InvocationId invocation) {
    switch_to(invocation);
    const std::uint64_t offset = address - near_begins_[form.number];
    if (offset >= kWindow || address % kWordBytes + form.size > kWordBytes) [[unlikely]]
      return add_far(form, address & kAddressMask);
    words_.push_back(kNearTag | form.number << kNearFormShift | static_cast<std::uint32_t>(offset));
    ++events_;
  }

  class Tail;
  InvocationId current() const { return current_; }  // that the last entry was of
  void go_on_in(InvocationId invocation) { switch_to(invocation); }
  void add_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation,
                  std::uint32_t number);
  void add_free(std::uint64_t address, std::uint64_t size, InvocationId invocation, std::uint32_t site) {
    switch_to(invocation);
    add_aside({address & kAddressMask, size, site, entry::kFree});
  }
  // Something of which not all is known yet.
  struct Unsettled {
    std::size_t aside = 0, word = 0;
  };
  Unsettled add_unsettled_free(std::uint64_t address, InvocationId invocation, std::uint32_t site) {
    add_free(address, 0, invocation, site);
    return {aside_.size() - 1, words_.size() - 1};
  }
  Unsettled add_unsettled_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation,
                                 std::uint32_t number) {
    switch_to(invocation);
    add_aside({address & kAddressMask, size, number, flags});
    return {aside_.size() - 1, words_.size() - 1};
  }
  Unsettled add_unsettled_block(InvocationId invocation, std::uint32_t block) {
    switch_to(invocation);
    add_long_move(entry::kBlock, block, 0);
    return {0, words_.size() - 2};
  }
  void set_size(const Unsettled& unsettled, std::uint64_t size) { aside_[unsettled.aside].size = size; }
  void set_flags(const Unsettled& unsettled, std::uint8_t flags) { aside_[unsettled.aside].kind = flags; }
  void set_from(const Unsettled& unsettled, std::uint32_t from) { words_[unsettled.word] = from; }
  // There was no such event.
  void take_back(const Unsettled& unsettled) {
    aside_[unsettled.aside].kind = kNothing;
    words_[unsettled.word] |= kSilentTag;
    --events_;
  }
  void add_beginning(InvocationId invocation, std::uint32_t block) { add_move(entry::kEnter, invocation, block, 0); }
  [[gnu::always_inline]] void add_block(InvocationId invocation, std::uint32_t block, std::uint32_t from) {
    add_move(entry::kBlock, invocation, block, from);
  }
  void add_call(InvocationId invocation, std::uint32_t number) { add_move(entry::kCall, invocation, number, 0); }
  void add_synchronisation(InvocationId invocation, std::uint32_t site);
  // Of the execution's events of synchronisation, those before the first of this part.
  void set_synchronisations_before(NodeId count) { synchronisations_before_ = count; }

  // Where the next entry will be.
  LogPlace next() const { return LogPlace{part_} << 32 | words_.size(); }

  // Calls pass.visit(place, number of the event, entry), the last first. `events_before`: those of earlier parts. What
  // is no event - a private access, a block, a call - has no number. What pass.interest_in(invocation) does not ask for
  // is left out, but for synchronisation, memory that was freed, and accesses with pass.may_be_wanted(the low
  // kRegionShift bits of the address, and the size) or, if they are in one word of memory, with
  // pass.may_be_wanted_at_place() and, if they only read, pass.may_be_overwritten_at_place(); places are those that
  // pass.filter_place() gives addresses, and as far apart as these in a block of kFilterBlock bytes. With
  // Interest::Moves blocks are left out, too, as long as pass.pass_over(block, from) says Passed::Quietly, or once more
  // when it says Passed::AndInterested; and calls, as long as pass.passes_over_calls(). With Interest::Values an access
  // counts that sets a slot with pass.wants_slot(); which one that is pass.slot_of(kind, number of its instruction)
  // says. Every so often it says pass.has_passed(place): it is done with all from there on.
  static constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};
  static constexpr std::uint64_t kFilterBlock = std::uint64_t{1} << 19;
  template <typename Pass>
  void go_back(Pass& pass, std::uint64_t events_before = 0) const;

  std::uint64_t events() const { return events_; }

  // Gives the memory of entries back from this place on: they will not be gone through any more. Those before it may
  // be, meanwhile.
  void drop_entries(LogPlace from) { words_.shrink(static_cast<std::uint32_t>(from)); }

 private:
  // A word of 32 bits per entry, since a long execution has tens of millions of them and to touch new memory costs more
  // than what is done with it; two where that does not do, the tag behind what it tells of. A tag says, from its
  // uppermost bits:
  //   1, kind - kEnter (2 bits), number (15), low (14)          a move: what matters to its invocation only
  //   0 1, form (13), offset (17)                               an access that is an event, in one word of memory
  //   0 0 1, kind - kEnter (2 bits), number (27); low           a move
  //   0 0 0 0, no event, form (19), upper bits of the address (8); the lower
  // An address is given by region (4 bits), of which a program has few, and the place in it; or by its offset from the
  // base that its form has at this time. What does not fit is kept aside.
  static constexpr std::uint32_t kMoveTag = std::uint32_t{1} << 31, kNearTag = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kLongMoveTag = std::uint32_t{1} << 29;
  static constexpr unsigned kMoveKindShift = 29, kMoveNumberShift = 14;
  static constexpr std::uint32_t kMoveNumberMask = (1u << (kMoveKindShift - kMoveNumberShift)) - 1;
  static constexpr std::uint32_t kMoveLowMask = (1u << kMoveNumberShift) - 1;
  static constexpr unsigned kLongMoveKindShift = 27;
  static constexpr std::uint32_t kLongMoveNumberMask = (1u << kLongMoveKindShift) - 1;
  static constexpr unsigned kNearFormShift = 17, kNearFormBits = 13;
  static constexpr std::uint32_t kNearFormMask = (1u << kNearFormBits) - 1;
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << kNearFormShift;
  static constexpr std::uint32_t kSilentTag = std::uint32_t{1} << 27;
  static constexpr unsigned kFarFormShift = 8;
  static constexpr std::uint32_t kFarFormMask = (kSilentTag >> kFarFormShift) - 1;
  static constexpr std::uint32_t kAsideForm = 0, kSynchronisationForm = 1;  // what has to be visited in any case

  static constexpr std::uint64_t kWordBytes = 8;
  static constexpr unsigned kRegionShift = 36, kRegionsMax = 16;
  static constexpr std::uint64_t kRegionMask = (std::uint64_t{1} << kRegionShift) - 1;
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 47) - 1;
  static constexpr std::uint64_t kNoBase = std::uint64_t{1} << 63;  // farther than a window from any address

  struct Form {
    std::uint64_t base = kNoBase;  // a window from there on is in one block of kFilterBlock bytes
    std::uint64_t last_far = kNoBase;
    std::uint32_t number = 0, size = 0;
    std::uint8_t kind = 0;
  };
  static constexpr std::uint8_t kNewBase = 31;  // kind: `address` was the base of form `number` before
  static constexpr std::uint8_t kNothing = 30;  // kind: taken back
  struct Aside {
    std::uint64_t address, size;
    std::uint32_t number;
    std::uint8_t kind;
  };
  static constexpr std::size_t kWordsPassed = std::size_t{1} << 20;
  struct Run {  // of entries of one invocation
    std::uint32_t begin;
    InvocationId invocation;
  };
  // What going back needs to know of the place where it is.
  struct Cursor {
    std::size_t end;  // of what is left
    std::uint64_t event;
    std::size_t aside;
    std::vector<std::uint64_t> bases;   // by form
    std::vector<std::uint64_t> places;  // by form: filter_place() of that
    std::vector<std::uint32_t> slots;   // by form: that its accesses set
  };

  void switch_to(InvocationId invocation) {
    if (invocation != current_) [[unlikely]]
      begin_run(invocation);
  }
  void begin_run(InvocationId invocation);
  [[gnu::always_inline]] void add_move(std::uint8_t kind, InvocationId invocation, std::uint32_t number,
                                       std::uint32_t low) {
    switch_to(invocation);
    const std::uint32_t kind_code = kind - entry::kEnter + 0u;
    if (number <= kMoveNumberMask && low <= kMoveLowMask) [[likely]]
      return words_.push_back(kMoveTag | kind_code << kMoveKindShift | number << kMoveNumberShift | low);
    add_long_move(kind, number, low);
  }
  void add_long_move(std::uint8_t kind, std::uint32_t number, std::uint32_t low);
  // Its number; 0: there are too many.
  std::uint32_t find_form(std::uint8_t flags, std::uint64_t size, std::uint32_t number, std::uint64_t key);
  void add_aside(const Aside& aside);
  void add_far(const AccessForm& form, std::uint64_t address);
  void move_base(Form& form, std::uint32_t number, std::uint64_t code, std::uint64_t address);

  // Goes back to where the last entry is, not before `begin`, that has to be visited, or to `begin`. True: only to
  // where the interest is another one.
  template <Interest kInterest, typename Pass>
  bool skip(std::size_t begin, Cursor& cursor, Pass& pass) const;
  // Takes the last entry. Returns the number of the event.
  std::uint64_t take_last(Cursor& cursor, Entry& entry) const;
  void decode_far(std::uint32_t tag, std::uint32_t low, Cursor& cursor, Entry& entry) const;
  std::uint64_t address_of(std::uint64_t code) const {
    return region_bases_[code >> kRegionShift] | (code & kRegionMask);
  }

  const std::uint32_t part_;
  GrowingArray<std::uint32_t> words_;
  GrowingArray<Run> runs_;
  InvocationId current_ = kNoInvocation;
  std::array<std::uint8_t, (kAddressMask >> kRegionShift) + 1>
      regions_{};  // 1 + number, by the upper bits of an address
  std::vector<std::uint64_t> region_bases_;
  std::vector<Form> forms_ = std::vector<Form>(kSynchronisationForm + 1);
  // By form: its base as an address.
  std::vector<std::uint64_t> near_begins_ = std::vector<std::uint64_t>(kSynchronisationForm + 1, kNoBase);
  std::unordered_map<std::uint64_t, std::uint32_t> form_numbers_;
  trace::RecentMap<std::uint32_t, 1024> recent_forms_;  // of them
  GrowingArray<Aside> aside_;
  GrowingArray<Invocation> invocations_;
  std::vector<Caller> stands_for_;
  GrowingArray<std::uint32_t> synchronisation_sites_;
  NodeId synchronisations_before_ = 0;
  std::uint64_t events_ = 0;
};

// Adds entries of the invocation that the last one was of, as long as they are of the kinds that there are most of. It
// is a copy of what that takes, so that a loop has it in registers: put_back() before anything else is done with the
// log.
class ExecutionLog::Tail {
 public:
  explicit Tail(ExecutionLog& log) : near_begins_(log.near_begins_.data()), regions_(log.regions_.data()) {
    const std::span<std::uint32_t> room = log.words_.room();
    at_ = room.data();
    ready_ = at_ + room.size() - 1;
  }
  // What of its word is the same for all accesses of a form, and all moves to a block.
  static std::uint32_t word_of(const AccessForm& form) {
    return form.number <= kNearFormMask && !form.is_silent ? kNearTag | form.number << kNearFormShift : 0;
  }
  static std::uint32_t word_of_block(std::uint32_t block) {
    constexpr std::uint32_t kKind = entry::kBlock - entry::kEnter;
    return block <= kMoveNumberMask ? kMoveTag | kKind << kMoveKindShift | block << kMoveNumberShift : 0;
  }
  static constexpr std::uint32_t kBlocksMax = kMoveLowMask;  // of a function to whose blocks one can move
  // False: it takes more, and nothing was done.
  [[gnu::always_inline]] bool add_access(std::uint32_t word, std::uint32_t form, std::uint32_t size,
                                         std::uint64_t address) {
    if (at_ >= ready_) [[unlikely]]
      return false;
    if (address % kWordBytes + size > kWordBytes) return add_wide(form, address);
    const std::uint64_t offset = address - near_begins_[form];
    if (offset >= kWindow) [[unlikely]]
      return false;
    *at_++ = word | static_cast<std::uint32_t>(offset);
    ++events_;
    return true;
  }
  [[gnu::always_inline]] bool add_block(std::uint32_t word, std::uint32_t from) {
    if (at_ >= ready_) [[unlikely]]
      return false;
    *at_++ = word | from;
    return true;
  }
  bool add_call(std::uint32_t number) {
    constexpr std::uint32_t kKind = entry::kCall - entry::kEnter;
    if (at_ >= ready_ || number > kMoveNumberMask) [[unlikely]]
      return false;
    *at_++ = kMoveTag | kKind << kMoveKindShift | number << kMoveNumberShift;
    return true;
  }
  void put_back(ExecutionLog& log) {
    log.words_.set_end(at_);
    log.events_ += events_;
  }

 private:
  // Of more than one word of memory, which has no base.
  [[gnu::always_inline]] bool add_wide(std::uint32_t form, std::uint64_t address) {
    const std::uint8_t region = regions_[(address & kAddressMask) >> kRegionShift];
    if (region == 0) [[unlikely]]
      return false;
    const std::uint64_t code = std::uint64_t{region - 1u} << kRegionShift | (address & kRegionMask);
    *at_++ = static_cast<std::uint32_t>(code);
    *at_++ = form << kFarFormShift | static_cast<std::uint32_t>(code >> 32);
    ++events_;
    return true;
  }

  std::uint32_t* at_;
  std::uint32_t* ready_;  // where there is room for two
  const std::uint64_t* near_begins_;
  const std::uint8_t* regions_;
  std::uint64_t events_ = 0;
};

template <Interest kInterest, typename Pass>
bool ExecutionLog::skip(std::size_t begin, Cursor& cursor, Pass& pass) const {
  constexpr std::uint32_t kBlockTag = kMoveTag | (entry::kBlock - entry::kEnter + 0u) << kMoveKindShift;
  constexpr std::uint32_t kCallTag = kMoveTag | (entry::kCall - entry::kEnter + 0u) << kMoveKindShift;
  constexpr std::uint32_t kKindMask = kMoveTag | 3u << kMoveKindShift;
  const std::uint32_t* const words = &words_[0];
  const std::uint64_t* const places = cursor.places.data();
  [[maybe_unused]] const std::uint32_t* const slots = cursor.slots.data();
  std::size_t end = cursor.end;
  std::uint64_t event = cursor.event;
  bool is_another = false;
  while (end > begin && !is_another) {
    const std::uint32_t tag = words[end - 1];
    if ((tag & kMoveTag) != 0) {
      if constexpr (kInterest == Interest::Values) break;
      if constexpr (kInterest == Interest::Moves) {
        if ((tag & kKindMask) == kBlockTag) {
          const Passed passed = pass.pass_over(tag >> kMoveNumberShift & kMoveNumberMask, tag & kMoveLowMask);
          if (passed == Passed::Not) break;
          is_another = passed == Passed::AndInterested;
        } else if ((tag & kKindMask) != kCallTag || !pass.passes_over_calls()) {
          break;
        }
      }
      --end;
    } else if ((tag & kNearTag) != 0) {
      const std::uint32_t form = tag >> kNearFormShift & kNearFormMask;
      const std::uint64_t place = places[form] + tag % kWindow;
      if (pass.may_be_wanted_at_place(place) &&
          ((forms_[form].kind & entry::kWrites) != 0 || pass.may_be_overwritten_at_place(place)))
        break;
      if (kInterest == Interest::Values && pass.wants_slot(slots[form])) break;
      --event;
      --end;
    } else if ((tag & kLongMoveTag) != 0) {
      if (kInterest != Interest::None) break;
      end -= 2;
    } else {
      if (kInterest == Interest::Values) break;
      const std::uint64_t low = (std::uint64_t{tag} << 32 | words[end - 2]) & kRegionMask;
      const std::uint32_t form = tag >> kFarFormShift & kFarFormMask;
      if (form <= kSynchronisationForm || pass.may_be_wanted(low, forms_[form].size)) break;
      event -= (tag & kSilentTag) != 0 ? 0 : 1;
      end -= 2;
    }
  }
  cursor.end = end;
  cursor.event = event;
  return is_another;
}

template <typename Pass>
void ExecutionLog::go_back(Pass& pass, std::uint64_t events_before) const {
  Cursor cursor{words_.size(), events_before + events_, aside_.size(), {}, {}, {}};
  for (const Form& form : forms_) {
    cursor.bases.push_back(form.base);
    cursor.slots.push_back(pass.slot_of(form.kind, form.number));
    cursor.places.push_back(pass.filter_place(form.base & kRegionMask));
  }
  Entry entry;
  for (std::size_t run = runs_.size(), said = cursor.end; run-- > 0;) {
    const std::size_t begin = runs_[run].begin;
    if (said - begin > kWordsPassed) pass.has_passed(LogPlace{part_} << 32 | (said = cursor.end));
    entry.invocation = resolve(runs_[run].invocation);
    while (cursor.end > begin) {
      const Interest interest = pass.interest_in(entry.invocation);
      if (interest != Interest::All) {
        const bool is_another = interest == Interest::None    ? skip<Interest::None>(begin, cursor, pass)
                                : interest == Interest::Moves ? skip<Interest::Moves>(begin, cursor, pass)
                                                              : skip<Interest::Values>(begin, cursor, pass);
        if (is_another) continue;
        if (cursor.end == begin) break;
      }
      const std::uint64_t event = take_last(cursor, entry);
      if (entry.kind == kNewBase)
        cursor.places[entry.number] = pass.filter_place(entry.low & kRegionMask);
      else if (entry.kind != kNothing)
        pass.visit(LogPlace{part_} << 32 | cursor.end, event, entry);
    }
  }
}

inline std::uint64_t ExecutionLog::take_last(Cursor& cursor, Entry& entry) const {
  const std::uint32_t tag = words_[--cursor.end];
  if ((tag & kMoveTag) != 0) {
    entry.kind = static_cast<std::uint8_t>(entry::kEnter + (tag >> kMoveKindShift & 3));
    entry.number = tag >> kMoveNumberShift & kMoveNumberMask;
    entry.low = tag & kMoveLowMask;
    return kNoEvent;
  }
  if ((tag & kNearTag) != 0) {
    const std::uint32_t number = tag >> kNearFormShift & kNearFormMask;
    const Form& form = forms_[number];
    entry.kind = form.kind;
    entry.number = form.number;
    entry.size = form.size;
    entry.low = address_of(cursor.bases[number] + tag % kWindow);
    return --cursor.event;
  }
  const std::uint32_t low = words_[--cursor.end];
  if ((tag & kLongMoveTag) != 0) {
    entry.kind = static_cast<std::uint8_t>(entry::kEnter + (tag >> kLongMoveKindShift & 3));
    entry.number = tag & kLongMoveNumberMask;
    entry.low = low;
    return kNoEvent;
  }
  decode_far(tag, low, cursor, entry);
  return (tag & kSilentTag) != 0 ? kNoEvent : --cursor.event;
}

}  // namespace heddle::slice
