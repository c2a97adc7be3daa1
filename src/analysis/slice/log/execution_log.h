#pragma once
// The log of one part of an execution, for the backward pass: every access, block and call with its function
// invocation. Most of the code is in the header, because both passes over it are hot loops that are compiled for their
// caller.
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "binary/sections/flow_rows.h"
#include "slice/log/growing_array.h"
#include "slice/log/synchronisation.h"
#include "trace/recent_map.h"

namespace heddle::slice {

// The part in which the invocation began (upper 3 bits), and its number there. The lowest numbers of a part are
// stand-ins for invocations that began in an earlier part; ExecutionLog::resolve() replaces them.
using InvocationId = std::uint32_t;
inline constexpr InvocationId kNoInvocation = 0;
inline constexpr std::uint32_t kNoCall = ~std::uint32_t{0};
inline constexpr std::uint32_t kCallOfStandIn = kNoCall - 1;  // the caller's last call before the part began
inline constexpr unsigned kInvocationPartShift = 29;
inline constexpr std::uint32_t kPartsMax = 1u << (32 - kInvocationPartShift);
inline constexpr std::uint32_t kInvocationNumberMask = (1u << kInvocationPartShift) - 1;
inline constexpr std::uint32_t kEarlierMax = 1u << 16;  // numbers for stand-ins

constexpr std::uint32_t part_of(InvocationId id) { return id >> kInvocationPartShift; }
constexpr bool stands_for_another(InvocationId id) { return (id & kInvocationNumberMask) < kEarlierMax; }
// Index among the invocations that began in its part. REQUIRES: not a stand-in.
constexpr std::uint32_t index_of(InvocationId id) { return (id & kInvocationNumberMask) - kEarlierMax; }

// A place in the logs of all parts: part << 32 | word. Later entries have larger places.
using LogPlace = std::uint64_t;

// The kind of an access is a combination of flags, below all other kinds.
namespace entry {
inline constexpr std::uint8_t kReads = 1, kWrites = 2;
inline constexpr std::uint8_t kPrivate = 4;    // not an event: no other thread can reach the memory
inline constexpr std::uint8_t kPlaceless = 8;  // in code without a flow table
inline constexpr std::uint8_t kEnter = 16;     // an invocation begins with this block
inline constexpr std::uint8_t kBlock = 17;
inline constexpr std::uint8_t kCall = 18;
inline constexpr std::uint8_t kSynchronisation = 19;
inline constexpr std::uint8_t kFree = 20;
constexpr bool is_access(std::uint8_t kind) { return kind < kEnter; }
}  // namespace entry

// A decoded entry of the log.
struct Entry {
  std::uint8_t kind = 0;
  InvocationId invocation = kNoInvocation;
  std::uint32_t number = 0;  // event: SiteId; private access, block, call: its number in the function
  std::uint64_t low = 0;     // access, free: address; block: the previous block; synchronisation: its NodeId
  std::uint64_t size = 0;    // access, free: bytes
};

struct Invocation {
  const binary::FunctionFlow* flow = nullptr;  // nullptr: all code of a thread without a flow table
  InvocationId caller = kNoInvocation;
  std::uint32_t call = kNoCall;  // number of the call in the caller
  std::uint32_t thread = 0;
};

// The constant properties of the accesses of one instruction, by their number in the log.
struct AccessForm {
  std::uint32_t number = 0;
  std::uint32_t size = 0;
  bool is_silent = false;  // not an event

  explicit operator bool() const { return number != 0; }
};

// The entries of an invocation that the backward pass needs.
enum class Interest {
  None,
  Moves,   // blocks, calls and the beginning
  Values,  // these, and accesses that set a wanted slot
  All,
};

enum class SkipResult {
  NotSkipped,  // the block has to be visited
  Skipped,
  InterestChanged,  // skipped, but interest_in() has to be asked again
};

// A log of 32-bit words, because a long execution has tens of millions of entries, and touching new memory costs more
// than processing them. An entry is one word, or two if the values do not fit; then the word with the tag is the second
// one, so that the log can be decoded from its end. Entries of one invocation form a run; the invocation is stored once
// per run.
//
// Most accesses take one word: the form (what is constant for the instruction) and the offset from a base that moves
// with the instruction's accesses. The backward pass skips irrelevant words without decoding them: a filter of wanted
// memory is indexed by the base's place plus the offset.
//
// Another thread may free words behind the backward pass (drop_entries()) during the pass.
class ExecutionLog {
 public:
  explicit ExecutionLog(std::uint32_t part = 0) : part_(part) {}

  InvocationId begin_invocation(const Invocation& invocation) {
    invocations_.push_back(invocation);
    return part_ << kInvocationPartShift | (kEarlierMax + static_cast<std::uint32_t>(invocations_.size() - 1));
  }
  // REQUIRES: the invocation began in this part.
  const Invocation& invocation(InvocationId id) const { return invocations_[index_of(id)]; }
  // By index_of().
  std::span<const Invocation> invocations() const { return invocations_.span(); }

  // An invocation and its last call, if that has not returned.
  struct Caller {
    InvocationId id = kNoInvocation;
    std::uint32_t call = kNoCall;
  };
  // Adds a stand-in for an invocation that began in an earlier part, which set_stand_in() names later.
  InvocationId add_stand_in() {
    stands_for_.push_back({});
    return part_ << kInvocationPartShift | static_cast<std::uint32_t>(stands_for_.size() % kEarlierMax);
  }
  bool has_too_many_stand_ins() const { return stands_for_.size() >= kEarlierMax; }
  void set_stand_in(InvocationId id, const Caller& other) { stands_for_[(id & kInvocationNumberMask) - 1] = other; }
  // REQUIRES: `id` is of this part, not kNoInvocation, and all stand-ins are set.
  InvocationId resolve(InvocationId id) const {
    return stands_for_another(id) ? stands_for_[(id & kInvocationNumberMask) - 1].id : id;
  }
  // REQUIRES: the same, and the invocation began in this part.
  Caller caller_of(InvocationId id) const {
    const Invocation& self = invocation(id);
    if (self.caller == kNoInvocation || !stands_for_another(self.caller)) [[likely]]
      return {self.caller, self.call};
    const Caller& other = stands_for_[(self.caller & kInvocationNumberMask) - 1];
    return {other.id, self.call == kCallOfStandIn ? other.call : self.call};
  }

  // The form of accesses with these properties. False if there are too many forms.
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
  InvocationId current() const { return current_; }  // of the last entry
  void resume_in(InvocationId invocation) { switch_to(invocation); }
  void add_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation,
                  std::uint32_t number);
  void add_free(std::uint64_t address, std::uint64_t size, InvocationId invocation, std::uint32_t site) {
    add_unsettled(entry::kFree, address, size, invocation, site);
  }
  // An entry of which a part is unknown until the parts are joined.
  struct Unsettled {
    std::size_t aside = 0, word = 0;
  };
  // An access or a free.
  Unsettled add_unsettled(std::uint8_t kind, std::uint64_t address, std::uint64_t size, InvocationId invocation,
                          std::uint32_t number) {
    switch_to(invocation);
    add_aside({address & kAddressMask, size, number, kind});
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
  void cancel(const Unsettled& unsettled) {
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
  // `count`: the number of synchronisation events in earlier parts.
  void set_synchronisations_before(NodeId count) { synchronisations_before_ = count; }

  // The place of the next entry.
  LogPlace next() const { return LogPlace{part_} << 32 | words_.size(); }

  // Visits the entries from the last to the first: pass.visit(place, number of the event, entry). An entry that is not
  // an event (a private access, a block, a call) has the number kNoEvent. `events_before`: events of earlier parts.
  //
  // Entries are skipped according to pass.interest_in(invocation). Always visited are synchronisation, freed memory,
  // and accesses to memory that may be wanted:
  // - pass.may_be_wanted(the low kRegionShift bits of the address, size) for an access in full form;
  // - pass.may_be_wanted_at_place(place) for an access in one word of memory, and if it only reads,
  //   pass.may_be_overwritten_at_place(place). pass.filter_place() maps an address to a place; within a block of
  //   kFilterBlock bytes, places differ by as much as addresses.
  // With Interest::Moves a block is also skipped if pass.try_skip_block(block, from) says so, and a call if
  // pass.skips_calls(). With Interest::Values an access in full form is visited, and any other if
  // pass.wants_slot(pass.slot_of(kind, number)).
  // pass.has_passed(place) is called every kWordsPassed words or so: all entries from there on are done.
  static constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};
  static constexpr std::uint64_t kFilterBlock = std::uint64_t{1} << 19;
  template <typename Pass>
  void go_back(Pass& pass, std::uint64_t events_before = 0) const;

  std::uint64_t events() const { return events_; }

  // Frees the entries from this place on, which are not read again. The entries before it may be read meanwhile.
  void drop_entries(LogPlace from) { words_.shrink(static_cast<std::uint32_t>(from)); }

 private:
  // The layout of a tag, from its upper bits; `low` is the word before it:
  //   1, kind - kEnter (2 bits), number (15), low (14)            move: a block, call or beginning
  //   0 1, form (13), offset (17)                                 access that is an event, in one word of memory
  //   0 0 1, kind - kEnter (2 bits), number (27); low             move
  //   0 0 0 0, silent (1), form (19), address (8); low            access in full form, with region and address
  // A region (4 bits) is a range of 2^36 addresses; a program uses few. Entries that fit none of these are kept aside.
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
  static constexpr std::uint32_t kAsideForm = 0, kSynchronisationForm = 1;  // always visited

  static constexpr std::uint64_t kWordBytes = 8;
  static constexpr unsigned kRegionShift = 36, kRegionsMax = 16;
  static constexpr std::uint64_t kRegionMask = (std::uint64_t{1} << kRegionShift) - 1;
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 47) - 1;
  static constexpr std::uint64_t kNoBase = std::uint64_t{1} << 63;  // more than a window away from every address

  struct Form {
    std::uint64_t base = kNoBase;  // the window from here on is in one block of kFilterBlock bytes
    std::uint64_t last_far = kNoBase;
    std::uint32_t number = 0, size = 0;
    std::uint8_t kind = 0;
  };
  static constexpr std::uint8_t kNewBase = 31;  // kind: `address` was the base of form `number` before
  static constexpr std::uint8_t kNothing = 30;  // kind: cancelled
  struct Aside {
    std::uint64_t address, size;
    std::uint32_t number;
    std::uint8_t kind;
  };
  static constexpr std::size_t kWordsPassed = std::size_t{1} << 20;
  struct Run {  // consecutive entries of one invocation
    std::uint32_t begin;
    InvocationId invocation;
  };
  // State of the backward pass.
  struct Cursor {
    std::size_t end;  // of the words that are left
    std::uint64_t event;
    std::size_t aside;
    std::vector<std::uint64_t> bases;   // by form
    std::vector<std::uint64_t> places;  // by form: filter_place() of the base
    std::vector<std::uint32_t> slots;   // by form: the slot that its accesses set
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
  // Returns 0 if there are too many forms.
  std::uint32_t find_form(std::uint8_t flags, std::uint64_t size, std::uint32_t number, std::uint64_t key);
  void add_aside(const Aside& aside);
  void add_far(const AccessForm& form, std::uint64_t address);
  void move_base(Form& form, std::uint32_t number, std::uint64_t code, std::uint64_t address);

  // Skips entries until the last one has to be visited, or `begin` is reached. True if the interest has changed before.
  template <Interest kInterest, typename Pass>
  bool skip(std::size_t begin, Cursor& cursor, Pass& pass) const;
  // Decodes the last entry. Returns the number of the event.
  std::uint64_t take_last(Cursor& cursor, Entry& entry) const;
  void decode_far(std::uint32_t tag, std::uint32_t low, Cursor& cursor, Entry& entry) const;
  std::uint64_t address_of(std::uint64_t code) const {
    return region_bases_[code >> kRegionShift] | (code & kRegionMask);
  }

  const std::uint32_t part_;
  GrowingArray<std::uint32_t> words_;
  GrowingArray<Run> runs_;
  InvocationId current_ = kNoInvocation;
  std::array<std::uint8_t, (kAddressMask >> kRegionShift) + 1> regions_{};  // by upper bits of an address: number + 1
  std::vector<std::uint64_t> region_bases_;
  std::vector<Form> forms_ = std::vector<Form>(kSynchronisationForm + 1);
  // By form: its base, as an address.
  std::vector<std::uint64_t> near_begins_ = std::vector<std::uint64_t>(kSynchronisationForm + 1, kNoBase);
  std::unordered_map<std::uint64_t, std::uint32_t> form_numbers_;
  trace::RecentMap<std::uint32_t, 1024> recent_forms_;
  GrowingArray<Aside> aside_;
  GrowingArray<Invocation> invocations_;
  std::vector<Caller> stands_for_;
  GrowingArray<std::uint32_t> synchronisation_sites_;
  NodeId synchronisations_before_ = 0;
  std::uint64_t events_ = 0;
};

// Appends the most frequent kinds of entries to the current run. It copies the state that this needs, so that a loop
// keeps it in registers. REQUIRES: put_back() before the log is used otherwise.
class ExecutionLog::Tail {
 public:
  explicit Tail(ExecutionLog& log) : near_begins_(log.near_begins_.data()), regions_(log.regions_.data()) {
    const std::span<std::uint32_t> room = log.words_.room();
    at_ = room.data();
    ready_ = at_ + room.size() - 1;
  }
  // The constant part of the word for accesses of a form, and for moves to a block; 0 if an entry may need more.
  static std::uint32_t word_of(const AccessForm& form) {
    return form.number <= kNearFormMask && !form.is_silent ? kNearTag | form.number << kNearFormShift : 0;
  }
  static std::uint32_t word_of_block(std::uint32_t block) {
    constexpr std::uint32_t kKind = entry::kBlock - entry::kEnter;
    return block <= kMoveNumberMask ? kMoveTag | kKind << kMoveKindShift | block << kMoveNumberShift : 0;
  }
  static constexpr std::uint32_t kBlocksMax = kMoveLowMask;  // of a function whose moves fit a word
  // The following functions return false, without effect, if the entry does not fit.
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
  // An access that crosses words of memory, for which bases are not used.
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
  std::uint32_t* ready_;  // before it there is room for two words
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
  bool interest_changed = false;
  while (end > begin && !interest_changed) {
    const std::uint32_t tag = words[end - 1];
    if ((tag & kMoveTag) != 0) {
      if constexpr (kInterest == Interest::Values) break;
      if constexpr (kInterest == Interest::Moves) {
        if ((tag & kKindMask) == kBlockTag) {
          const SkipResult passed = pass.try_skip_block(tag >> kMoveNumberShift & kMoveNumberMask, tag & kMoveLowMask);
          if (passed == SkipResult::NotSkipped) break;
          interest_changed = passed == SkipResult::InterestChanged;
        } else if ((tag & kKindMask) != kCallTag || !pass.skips_calls()) {
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
  return interest_changed;
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
  for (std::size_t run = runs_.size(), reported = cursor.end; run-- > 0;) {
    const std::size_t begin = runs_[run].begin;
    if (reported - begin > kWordsPassed) pass.has_passed(LogPlace{part_} << 32 | (reported = cursor.end));
    entry.invocation = resolve(runs_[run].invocation);
    while (cursor.end > begin) {
      const Interest interest = pass.interest_in(entry.invocation);
      if (interest != Interest::All) {
        const bool interest_changed = interest == Interest::None    ? skip<Interest::None>(begin, cursor, pass)
                                      : interest == Interest::Moves ? skip<Interest::Moves>(begin, cursor, pass)
                                                                    : skip<Interest::Values>(begin, cursor, pass);
        if (interest_changed) continue;
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
