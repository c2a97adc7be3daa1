#pragma once
// The way from the runtime up to the program's own code, by return addresses
// (docs/design/011_places_of_synchronisation.md).
#include <unwind.h>

#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "format/graph.h"

namespace heddle::runtime {

enum class Owner : std::uint8_t { Runtime, Library, Program };
Owner owner_of(std::uint64_t pc);

inline std::uint64_t word_at(std::uint64_t address) { return *reinterpret_cast<const std::uint64_t*>(address); }

inline std::uint64_t mix_address(std::uint64_t key, std::uint64_t word) {
  key = (key ^ word) * 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

inline constexpr std::uint32_t kFramesWalkedMax = 64;
inline constexpr std::uint32_t kWordsRememberedMax = 14;  // longer walks are walked each time

struct SeenWord {
  std::uint64_t address;
  std::uint64_t word;
};

// The program's own return addresses above the runtime's, innermost first. Wrappers that were not inlined come first:
// at -O0 a std::scoped_lock is eight calls away from pthread_mutex_unlock.
struct Chain {
  std::uint32_t count = 0;
  std::uint64_t pcs[format::kCallFramesMax];
  std::uint64_t key = 0;
  // Where on the stack each return address of the walk lay, the libraries' too.
  std::uint32_t seen_count = 0;
  SeenWord seen[kWordsRememberedMax];

  void see(std::uint64_t address, std::uint64_t word) {
    if (seen_count < kWordsRememberedMax) seen[seen_count] = {address, word};
    ++seen_count;
  }
  // True: that is all that is wanted.
  bool add(std::uint64_t pc, Owner owner) {
    if (owner == Owner::Runtime)
      return count != 0;  // what is above was called by the runtime: a handler, a thread's main
    if (owner == Owner::Library) return false;
    pcs[count++] = pc;
    key = mix_address(key, pc) | 1;
    return count == format::kCallFramesMax;
  }
};

// The last walks, by where they began. A walk is decided by the return addresses that it met: as long as they stand
// where they stood, it ends at the same site. Comparing them costs a tenth of the walk, whose every step waits for the
// one before. Lock and unlock often begin at the same place and differ further up: a few of each beginning are kept.
template <std::size_t kBeginnings, std::size_t kWalksPerBeginning>
class RememberedWalks {
 public:
  // nullptr: none that still holds.
  const SiteId* find(std::uint64_t pc, std::uint64_t stack_pointer) const {
    for (const Walk& walk : beginning_of(pc, stack_pointer).walks)
      if (walk.holds(pc, stack_pointer)) return &walk.site;
    return nullptr;
  }
  void remember(std::uint64_t pc, std::uint64_t stack_pointer, const Chain& chain, SiteId site) {
    if (chain.seen_count > kWordsRememberedMax) return;
    Beginning& beginning = const_cast<Beginning&>(beginning_of(pc, stack_pointer));
    Walk& walk = beginning.walks[beginning.oldest++ % kWalksPerBeginning];
    walk.pc = pc;
    walk.stack_pointer = stack_pointer;
    walk.site = site;
    walk.count = chain.seen_count;
    for (std::uint32_t i = 0; i < chain.seen_count; ++i) walk.words[i] = chain.seen[i];
  }
  void forget() {
    for (Beginning& beginning : beginnings_)
      for (Walk& walk : beginning.walks) walk.pc = 0;
  }

 private:
  struct Walk {
    std::uint64_t pc;  // 0: none
    std::uint64_t stack_pointer;
    SiteId site;
    std::uint32_t count;
    SeenWord words[kWordsRememberedMax];

    bool holds(std::uint64_t from_pc, std::uint64_t from_stack_pointer) const {
      if (pc != from_pc || stack_pointer != from_stack_pointer) return false;
      for (std::uint32_t i = 0; i < count; ++i)
        if (word_at(words[i].address) != words[i].word) return false;
      return true;
    }
  };
  struct Beginning {
    Walk walks[kWalksPerBeginning];
    std::size_t oldest;
  };
  const Beginning& beginning_of(std::uint64_t pc, std::uint64_t stack_pointer) const {
    return beginnings_[mix_address(pc, stack_pointer) % kBeginnings];
  }

  Beginning beginnings_[kBeginnings];
};

// By the unwinder, which is a hundred times slower than a walk that is known. Learner is told what it finds: frame(pc)
// says whose it is; size(pc, bytes) of a frame, 0: nobody called it; link(pc, the caller's); last(pc): no further
// frame.
template <typename Learner>
class Unwinding {
 public:
  // `begin`: the stack pointer where the walk begins.
  Unwinding(Chain& chain, std::uint64_t begin, Learner& learner) : chain_(chain), begin_(begin), learner_(learner) {}

  void run() {
    _Unwind_Backtrace(visit, this);
    if (pc_ != 0) learner_.last(pc_);
  }

 private:
  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* self) {
    return static_cast<Unwinding*>(self)->take(_Unwind_GetCFA(context), _Unwind_GetIP(context));
  }

  // `stack_pointer`: in this frame, at its call.
  _Unwind_Reason_Code take(std::uint64_t stack_pointer, std::uint64_t pc) {
    if (stack_pointer_ == 0) {
      if (stack_pointer != begin_) return _URC_NO_REASON;
    } else {
      const bool called = stack_pointer > stack_pointer_ && word_at(stack_pointer - sizeof pc) == pc;
      learner_.size(pc_, called ? stack_pointer - stack_pointer_ : 0);
      if (!called) return _URC_END_OF_STACK;  // it was interrupted by a signal
      learner_.link(pc_, pc);
      chain_.see(stack_pointer - sizeof pc, pc);
    }
    stack_pointer_ = stack_pointer;
    pc_ = pc;
    const bool enough = chain_.add(pc, learner_.frame(pc)) || ++depth_ == kFramesWalkedMax;
    if (enough) pc_ = 0;
    return enough ? _URC_END_OF_STACK : _URC_NO_REASON;
  }

  Chain& chain_;
  const std::uint64_t begin_;
  Learner& learner_;
  std::uint64_t stack_pointer_ = 0;  // of the frame before; 0: the walk has not come to where it begins
  std::uint64_t pc_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace heddle::runtime
