#pragma once
// What an execution did, in the form in which it can be gone through from its end: which invocation of which function every
// access, block and call belongs to, and what the events of synchronisation depend on.
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "slice/dependences.h"
#include "slice/flow_rows.h"
#include "slice/pieces.h"

namespace heddle::slice {

using InvocationId = std::uint32_t;
inline constexpr InvocationId kNoInvocation = 0;
inline constexpr std::uint32_t kNoCall = ~std::uint32_t{0};

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
  std::uint64_t low = 0;     // access, free: address; block: the one that the thread came from; synchronisation: its NodeId
  std::uint64_t size = 0;    // access, free: bytes
};

struct Invocation {
  const FunctionFlow* flow = nullptr;  // nullptr: all that a thread does outside of functions that are known
  InvocationId caller = kNoInvocation;
  std::uint32_t call = kNoCall;  // of the caller, in which it was when this began
  std::uint32_t thread = 0;
};

// All that is the same each time an instruction makes its access.
struct AccessForm {
  std::uint64_t word = 0;  // of the log, but for the address
  std::uint32_t size = 0;
};

// What somebody who goes back through an execution wants to know of an invocation.
enum class Interest {
  None,
  Moves,  // blocks, calls, its beginning
  All,
};

class ExecutionLog {
 public:
  ExecutionLog() { invocations_.push_back({}); }

  InvocationId begin_invocation(const Invocation& invocation) {
    invocations_.push_back(invocation);
    return static_cast<InvocationId>(invocations_.size() - 1);
  }

  // Of accesses that have these flags, this number and this size, as far as there are such forms.
  static constexpr std::uint64_t kFormSizeMax = 64;
  static constexpr AccessForm kNoForm{};
  AccessForm form_of(std::uint8_t flags, std::uint64_t size, std::uint32_t number);
  // REQUIRES: form is not kNoForm.
  [[gnu::always_inline]] void add_access(const AccessForm& form, std::uint64_t address, InvocationId invocation) {
    switch_to(invocation);
    address &= kAddressMask;
    const std::uint8_t region = regions_[address >> kRegionShift];
    if (region == 0) [[unlikely]] return add_in_new_region(form, address);
    const bool reaches_over = address % kWordBytes + form.size > kWordBytes;
    words_.push_back(form.word | std::uint64_t{reaches_over} << kAlwaysShift | std::uint64_t{region - 1u} << kRegionShift |
                     (address & kRegionMask));
    events_ += ~form.word >> kSilentShift & 1;
  }
  void add_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation, std::uint32_t number);
  void add_free(std::uint64_t address, std::uint64_t size, InvocationId invocation, std::uint32_t site) {
    switch_to(invocation);
    add_aside({address & kAddressMask, size, site, entry::kFree});
  }
  void add_beginning(InvocationId invocation, std::uint32_t block) { add_move(entry::kEnter, invocation, block, 0); }
  void add_block(InvocationId invocation, std::uint32_t block, std::uint32_t from) {
    add_move(entry::kBlock, invocation, block, from);
  }
  void add_call(InvocationId invocation, std::uint32_t number) { add_move(entry::kCall, invocation, number, 0); }
  // The number that the next event of synchronisation will have.
  NodeId next_synchronisation() const { return static_cast<NodeId>(synchronisations_.size() + 1); }
  // `lock`, `wait`: what its thread held and had waited for last before it.
  void add_synchronisation(InvocationId invocation, std::uint32_t site, NodeId lock, NodeId wait, const Dependences& on);

  struct Synchronised {
    NodeId lock, wait;
    std::uint32_t end;  // of its dependences
    std::uint32_t site;
  };
  const Synchronised& synchronised(NodeId node) const { return synchronisations_[node - 1]; }
  std::span<const NodeId> dependences_of(NodeId node) const {
    const std::uint32_t begin = node == 1 ? 0 : synchronisations_[node - 2].end;
    return std::span(dependences_).subspan(begin, synchronisations_[node - 1].end - begin);
  }

  // Where the next entry will be; later ones are at larger places.
  std::uint32_t next() const { return static_cast<std::uint32_t>(words_.size()); }

  // Calls pass.visit(place, number of the event, entry), the last first. What is no event - a private access, a block, a
  // call - has no number. What pass.interest_in(invocation) does not ask for is left out, but for synchronisation, memory that
  // was freed, and accesses with pass.may_be_wanted(the low kRegionShift bits of the address).
  static constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};
  template <typename Pass>
  void go_back(Pass& pass) const;

  const Pieces<Invocation>& invocations() const { return invocations_; }
  std::uint64_t events() const { return events_; }

 private:
  // A word per entry, since a long execution has tens of millions of them, from its uppermost bits:
  //   moves, which matter to their invocation only: 1, kind - kEnter (2 bits), number (29), low (32)
  //   others: 0, whether it has to be looked at in any case, no event, number of the form (21), address (40)
  // Of an address the upper bits are those of a region, of which a program has few. What does not fit is kept aside.
  static constexpr unsigned kMoveShift = 63, kAlwaysShift = 62, kSilentShift = 61, kFormShift = 40;
  static constexpr unsigned kMoveKindShift = 61, kNumberShift = 32;
  static constexpr std::uint64_t kFormMask = (std::uint64_t{1} << (kSilentShift - kFormShift)) - 1;
  static constexpr std::uint64_t kAsideForm = 0, kSynchronisationForm = 1;
  static constexpr std::uint64_t kWordBytes = 8;
  static constexpr unsigned kRegionShift = 36, kRegionsMax = 16;
  static constexpr std::uint64_t kRegionMask = (std::uint64_t{1} << kRegionShift) - 1;
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 47) - 1;

  struct Form {
    std::uint32_t number = 0;
    std::uint8_t kind = 0, size = 0;
  };
  struct Aside {
    std::uint64_t address, size;
    std::uint32_t number;
    std::uint8_t kind;
  };
  struct Run {  // of entries of one invocation
    std::uint32_t begin;
    InvocationId invocation;
  };

  void switch_to(InvocationId invocation) {
    if (invocation == current_) [[likely]] return;
    runs_.push_back({next(), invocation});
    current_ = invocation;
  }
  void add_move(std::uint8_t kind, InvocationId invocation, std::uint32_t number, std::uint32_t low) {
    switch_to(invocation);
    words_.push_back(std::uint64_t{1} << kMoveShift | std::uint64_t{kind - entry::kEnter + 0u} << kMoveKindShift |
                     std::uint64_t{number} << kNumberShift | low);
  }
  void add_aside(const Aside& aside);
  void add_in_new_region(const AccessForm& form, std::uint64_t address);

  // Where the last entry before `end` is, not before `begin`, that has to be visited: 1 + its place, or `begin` if there is
  // none. Counts down the events behind it.
  template <typename Pass>
  std::size_t skip(std::size_t begin, std::size_t end, bool moves_too, std::uint64_t& event, const Pass& pass) const;
  void decode(std::uint64_t word, std::size_t& aside, Entry& entry) const;

  Pieces<std::uint64_t> words_;
  Pieces<Run> runs_;
  InvocationId current_ = kNoInvocation;
  std::array<std::uint8_t, (kAddressMask >> kRegionShift) + 1> regions_{};  // 1 + number, by the upper bits of an address
  std::vector<std::uint64_t> region_bases_;
  std::vector<Form> forms_ = std::vector<Form>(kSynchronisationForm + 1);
  std::unordered_map<std::uint64_t, std::uint64_t> form_numbers_;
  std::vector<Aside> aside_;
  Pieces<Invocation> invocations_;
  std::vector<Synchronised> synchronisations_;
  std::vector<NodeId> dependences_;
  std::uint64_t events_ = 0;
};

template <typename Pass>
std::size_t ExecutionLog::skip(std::size_t begin, std::size_t end, bool moves_too, std::uint64_t& event,
                               const Pass& pass) const {
  while (end > begin) {
    const std::span<const std::uint64_t> words = words_.last_stretch(begin, end);
    for (std::size_t i = words.size(); i > 0; --i) {
      const std::uint64_t word = words[i - 1];
      const bool is_move = word >> kMoveShift != 0;
      const bool always = (word >> kAlwaysShift & 1) != 0;
      const bool is_wanted = always | pass.may_be_wanted(word & kRegionMask);
      if (is_move ? !moves_too : is_wanted) return end - words.size() + i;
      event -= ~(word >> kMoveShift | word >> kSilentShift) & 1;
    }
    end -= words.size();
  }
  return begin;
}

template <typename Pass>
void ExecutionLog::go_back(Pass& pass) const {
  Entry entry;
  std::size_t end = words_.size(), aside = aside_.size();
  std::uint64_t event = events_;
  for (std::size_t run = runs_.size(); run-- > 0;) {
    const std::size_t begin = runs_[run].begin;
    entry.invocation = runs_[run].invocation;
    while (end > begin) {
      const Interest interest = pass.interest_in(entry.invocation);
      if (interest != Interest::All) {
        end = skip(begin, end, interest == Interest::None, event, pass);
        if (end == begin) break;
      }
      const std::uint64_t word = words_[--end];
      if (word >> kMoveShift != 0) {
        entry.kind = static_cast<std::uint8_t>(entry::kEnter + (word >> kMoveKindShift & 3));
        entry.number = static_cast<std::uint32_t>(word >> kNumberShift & ((std::uint32_t{1} << (kMoveKindShift - kNumberShift)) - 1));
        entry.low = static_cast<std::uint32_t>(word);
        pass.visit(static_cast<std::uint32_t>(end), kNoEvent, entry);
        continue;
      }
      decode(word, aside, entry);
      const bool is_event = (word >> kSilentShift & 1) == 0;
      event -= is_event ? 1 : 0;
      pass.visit(static_cast<std::uint32_t>(end), is_event ? event : kNoEvent, entry);
    }
  }
}

inline void ExecutionLog::decode(std::uint64_t word, std::size_t& aside, Entry& entry) const {
  const std::uint64_t number = word >> kFormShift & kFormMask, low = word & ((std::uint64_t{1} << kFormShift) - 1);
  if (number > kSynchronisationForm) [[likely]] {
    const Form& form = forms_[number];
    entry.kind = form.kind;
    entry.number = form.number;
    entry.size = form.size;
    entry.low = region_bases_[low >> kRegionShift] | (low & kRegionMask);
  } else if (number == kSynchronisationForm) {
    entry.kind = entry::kSynchronisation;
    entry.low = low;
    entry.number = synchronisations_[low - 1].site;
  } else {
    const Aside& known = aside_[--aside];
    entry.kind = known.kind;
    entry.number = known.number;
    entry.size = known.size;
    entry.low = known.address;
  }
}

}  // namespace heddle::slice
