#pragma once
// The chain of return addresses from the runtime up to the program's own code
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
inline constexpr std::uint32_t kWordsRememberedMax = 14;  // longer walks are not remembered

struct SeenWord {
  std::uint64_t address;
  std::uint64_t word;
};

// The program's own return addresses above the runtime's, innermost first. The first ones may belong to wrappers that
// were not inlined: at -O0 there are eight calls between a std::scoped_lock and pthread_mutex_unlock.
struct Chain {
  std::uint32_t count = 0;
  std::uint64_t pcs[format::kCallFramesMax];
  std::uint64_t key = 0;
  // All return addresses of the walk, including those of libraries, and their positions on the stack.
  std::uint32_t seen_count = 0;
  SeenWord seen[kWordsRememberedMax];

  void see(std::uint64_t address, std::uint64_t word) {
    if (seen_count < kWordsRememberedMax) seen[seen_count] = {address, word};
    ++seen_count;
  }
  // True: the chain is complete.
  bool add(std::uint64_t pc, Owner owner) {
    if (owner == Owner::Runtime) return count != 0;  // the runtime called the program: a handler, a start routine
    if (owner == Owner::Library) return false;
    pcs[count++] = pc;
    key = mix_address(key, pc) | 1;
    return count == format::kCallFramesMax;
  }
};

// Cache of the last walks, by their beginnings. The return addresses on the stack determine a walk: if they are all
// unchanged, it ends at the same site. Comparing them takes a tenth of the time of the walk, whose every step depends
// on the step before. Walks from lock and unlock often begin at the same address and differ further up, so several
// walks are kept for each beginning.
template <std::size_t kBeginnings, std::size_t kWalksPerBeginning>
class RememberedWalks {
 public:
  // nullptr: no remembered walk is still valid.
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

// A walk by the unwinder, which is a hundred times slower than a walk over known frames. It reports its findings to the
// Learner: frame(pc) returns the owner; size(pc, bytes) is the size of a frame, 0 if it has no caller; link(pc, above)
// connects a frame and its caller; last(pc) is the outermost frame.
template <typename Learner>
class Unwinding {
 public:
  // `begin`: the stack pointer of the first frame.
  Unwinding(Chain& chain, std::uint64_t begin, Learner& learner) : chain_(chain), begin_(begin), learner_(learner) {}

  void run() {
    _Unwind_Backtrace(visit, this);
    if (pc_ != 0) learner_.last(pc_);
  }

 private:
  static _Unwind_Reason_Code visit(_Unwind_Context* context, void* self) {
    return static_cast<Unwinding*>(self)->take(_Unwind_GetCFA(context), _Unwind_GetIP(context));
  }

  // `stack_pointer`: of this frame at its call.
  _Unwind_Reason_Code take(std::uint64_t stack_pointer, std::uint64_t pc) {
    if (stack_pointer_ == 0) {
      if (stack_pointer != begin_) return _URC_NO_REASON;
    } else {
      const bool called = stack_pointer > stack_pointer_ && word_at(stack_pointer - sizeof pc) == pc;
      learner_.size(pc_, called ? stack_pointer - stack_pointer_ : 0);
      if (!called) return _URC_END_OF_STACK;  // a signal interrupted the frame above
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
  std::uint64_t stack_pointer_ = 0;  // of the previous frame; 0: the walk has not reached its first frame
  std::uint64_t pc_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace heddle::runtime
