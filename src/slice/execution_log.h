#pragma once
// What an execution did, in the form in which it can be gone through from its end: which invocation of which function every
// access, block and call belongs to, and what the events of synchronisation depend on.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "slice/dependences.h"
#include "slice/flow_rows.h"

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

// Grows without moving what is there: a long execution has hundreds of megabytes of it.
template <typename T>
class Pieces {
 public:
  void push_back(const T& value) {
    if (at_ == end_) [[unlikely]] {
      pieces_.push_back(std::make_unique_for_overwrite<T[]>(kPiece));
      at_ = pieces_.back().get();
      end_ = at_ + kPiece;
    }
    *at_++ = value;
  }
  const T& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }
  T& last() { return at_[-1]; }
  std::size_t size() const { return pieces_.size() * kPiece - static_cast<std::size_t>(end_ - at_); }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
  std::vector<std::unique_ptr<T[]>> pieces_;
  T* at_ = nullptr;
  T* end_ = nullptr;
};

class ExecutionLog {
 public:
  ExecutionLog() { invocations_.push_back({}); }

  InvocationId begin_invocation(const Invocation& invocation) {
    invocations_.push_back(invocation);
    return static_cast<InvocationId>(invocations_.size() - 1);
  }
  [[gnu::always_inline]] void add_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation, std::uint32_t number) {
    switch_to(invocation);
    add_sized(flags, address, size, number);
    if ((flags & entry::kPrivate) == 0) ++events_;
  }
  void add_free(std::uint64_t address, std::uint64_t size, InvocationId invocation, std::uint32_t site) {
    switch_to(invocation);
    add_sized(entry::kFree, address, size, site);
    ++events_;
  }
  void add_beginning(InvocationId invocation, std::uint32_t block) {
    add(entry::kEnter, 0, block, current_);
    current_ = invocation;
  }
  void add_block(InvocationId invocation, std::uint32_t block, std::uint32_t from) {
    switch_to(invocation);
    add(entry::kBlock, 0, block, from);
  }
  void add_call(InvocationId invocation, std::uint32_t number) {
    switch_to(invocation);
    add(entry::kCall, 0, number, 0);
  }
  // The number that the next event of synchronisation will have.
  NodeId next_synchronisation() const { return static_cast<NodeId>(synchronisations_.size() + 1); }
  // `lock`, `wait`: what its thread held and had waited for last before it.
  void add_synchronisation(InvocationId invocation, std::uint32_t site, NodeId lock, NodeId wait, const Dependences& on);

  struct Synchronised {
    NodeId lock, wait;
    std::uint32_t end;  // of its dependences
  };
  const Synchronised& synchronised(NodeId node) const { return synchronisations_[node - 1]; }
  std::span<const NodeId> dependences_of(NodeId node) const {
    const std::uint32_t begin = node == 1 ? 0 : synchronisations_[node - 2].end;
    return std::span(dependences_).subspan(begin, synchronisations_[node - 1].end - begin);
  }

  // Where the next entry will be; later ones are at larger places.
  std::uint32_t next() const { return static_cast<std::uint32_t>(words_.size()); }
  // Calls visit(place, entry) for each entry, the last first.
  template <typename Visit>
  void for_each_backward(Visit&& visit) const;

  const Pieces<Invocation>& invocations() const { return invocations_; }
  std::uint64_t events() const { return events_; }

 private:
  // A word per entry, since a long execution has tens of millions of them and to touch new memory costs more than what is
  // done with it: kind, code of the size, number, and 40 bits of what Entry::low says. Of an address the upper bits are those
  // of a region, of which a program has few. What does not fit has a second word behind it with the rest. The invocation
  // is that of the entry before, unless a word in between says that it was another.
  static constexpr unsigned kKindShift = 59, kSizeShift = 56, kNumberShift = 40;
  static constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kNumberShift) - 1, kNumberMask = 0xffff;
  static constexpr std::uint8_t kSwitch = 30, kWide = 31;
  static constexpr unsigned kOtherSize = 7;  // its bytes are in other_sizes_
  static constexpr unsigned kRegionShift = 36, kRegionsMax = 16;
  static constexpr std::uint64_t kRegionMask = (std::uint64_t{1} << kRegionShift) - 1;
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 47) - 1;
  static bool has_address(std::uint8_t kind) { return entry::is_access(kind) || kind == entry::kFree; }

  void switch_to(InvocationId invocation) {
    if (invocation == current_) [[likely]] return;
    words_.push_back(std::uint64_t{kSwitch} << kKindShift | current_);
    current_ = invocation;
  }
  [[gnu::always_inline]] void add(std::uint8_t kind, unsigned size_code, std::uint64_t number, std::uint64_t low) {
    words_.push_back(std::uint64_t{kind} << kKindShift | std::uint64_t{size_code} << kSizeShift |
                     (number & kNumberMask) << kNumberShift | (low & kLowMask));
    if (number > kNumberMask) [[unlikely]] add_rest(kind, number, low);
  }
  void add_rest(std::uint8_t kind, std::uint64_t number, std::uint64_t low);
  [[gnu::always_inline]] void add_sized(std::uint8_t kind, std::uint64_t address, std::uint64_t size, std::uint32_t number) {
    address &= kAddressMask;
    unsigned code = size < size_codes_.size() ? size_codes_[size] : kOtherSize;
    if (code == kOtherSize) [[unlikely]] other_sizes_.push_back(static_cast<std::uint32_t>(size));
    const std::uint8_t region = regions_[address >> kRegionShift];
    if (region == 0) [[unlikely]] return add_in_new_region(kind, address, code, number);
    add(kind, code, number, std::uint64_t{region - 1u} << kRegionShift | (address & kRegionMask));
  }
  void add_in_new_region(std::uint8_t kind, std::uint64_t address, unsigned size_code, std::uint32_t number);

  Pieces<std::uint64_t> words_;
  InvocationId current_ = kNoInvocation;
  std::array<std::uint8_t, (kAddressMask >> kRegionShift) + 1> regions_{};  // 1 + number, by the upper bits of an address
  std::vector<std::uint64_t> region_bases_;
  static constexpr std::array<std::uint8_t, 33> size_codes_ = [] {
    std::array<std::uint8_t, 33> codes{};
    codes.fill(kOtherSize);
    for (std::uint8_t code = 0; code < 6; ++code) codes[1u << code] = code;
    return codes;
  }();
  std::vector<std::uint32_t> other_sizes_;
  Pieces<Invocation> invocations_;
  std::vector<Synchronised> synchronisations_;
  std::vector<NodeId> dependences_;
  std::uint64_t events_ = 0;
};

template <typename Visit>
void ExecutionLog::for_each_backward(Visit&& visit) const {
  Entry entry;
  entry.invocation = current_;
  std::size_t sizes = other_sizes_.size();
  for (std::size_t at = words_.size(); at-- > 0;) {
    std::uint64_t word = words_[at], rest = 0;
    entry.kind = static_cast<std::uint8_t>(word >> kKindShift);
    if (entry.kind == kSwitch) {
      entry.invocation = static_cast<InvocationId>(word);
      continue;
    }
    const bool is_wide = entry.kind == kWide;
    if (is_wide) [[unlikely]] {
      rest = word;
      word = words_[--at];
      entry.kind = static_cast<std::uint8_t>(word >> kKindShift);
    }
    entry.number = static_cast<std::uint32_t>(word >> kNumberShift & kNumberMask);
    entry.low = word & kLowMask;
    if (is_wide) [[unlikely]] {
      entry.number |= static_cast<std::uint32_t>(rest & kNumberMask) << 16;
      entry.low |= rest >> 16 << kNumberShift & kAddressMask;
    }
    if (has_address(entry.kind)) {
      const unsigned code = word >> kSizeShift & 7;
      entry.size = code == kOtherSize ? other_sizes_[--sizes] : std::uint64_t{1} << code;
      if (!is_wide) entry.low = region_bases_[entry.low >> kRegionShift] | (entry.low & kRegionMask);
    }
    visit(static_cast<std::uint32_t>(at), static_cast<const Entry&>(entry));
    if (entry.kind == entry::kEnter) entry.invocation = static_cast<InvocationId>(entry.low);
  }
}

}  // namespace heddle::slice
