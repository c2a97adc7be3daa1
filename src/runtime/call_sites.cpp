#include "runtime/call_sites.h"

#include <unwind.h>

#include "runtime/pointer_map.h"
#include "runtime/ring.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

namespace heddle::runtime {
namespace {

// Wrappers that were not inlined come first: at -O0 a std::scoped_lock is eight calls away from pthread_mutex_unlock.
constexpr std::uint32_t kOwnFramesMax = 10;
constexpr std::uint32_t kFramesWalkedMax = 64;
constexpr std::uint32_t kWordsRememberedMax = 14;  // longer walks are walked each time
constexpr std::uint32_t kCallSitesMax = 1u << 16;  // what comes after has no place

enum class Owner : std::uint8_t { Runtime, Library, Program };

// What the unwinder said of a return address.
struct ReturnAddress {
  std::uint32_t frame_size;  // of the function that it lies in, while the call is made; 0: the last one on its stack
  Owner owner;
  bool known;      // the frame's size has been seen
  bool irregular;  // ... and was not always the same
};

PointerMap<ReturnAddress> return_addresses;
PointerMap<std::uint32_t> sites;  // by Chain::key
// Pairs of return addresses that followed each other on a stack. A frame whose size is not constant after all leads the
// walk to a word that is no return address, or not one that comes from there: then the unwinder has to say.
PointerMap<bool> links;
std::uint32_t site_count = 0;

std::uint64_t mix(std::uint64_t key, std::uint64_t word) {
  key = (key ^ word) * 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

std::uintptr_t link_key(std::uint64_t from, std::uint64_t to) {
  return mix(mix(1, from), to) | 1;
}

struct SeenWord {
  std::uint64_t address;
  std::uint64_t word;
};

// The program's own return addresses above the runtime's, innermost first.
struct Chain {
  std::uint32_t count = 0;
  std::uint64_t pcs[kOwnFramesMax];
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
    key = mix(key, pc) | 1;
    return count == kOwnFramesMax;
  }
};

Owner owner_of(std::uint64_t pc) {
  const format::SessionResult& result = session()->result;
  const auto runtime = reinterpret_cast<std::uint64_t>(&find_call_site);
  for (std::uint32_t i = result.module_count; i-- > 0;) {
    const format::ModuleReport& module = result.modules[i];
    if (pc < module.begin || pc >= module.end) continue;
    if (runtime >= module.begin && runtime < module.end) return Owner::Runtime;
    return i == 0 || module.first_site != 0 ? Owner::Program : Owner::Library;
  }
  return Owner::Library;
}

std::uint64_t word_at(std::uint64_t address) {
  return *reinterpret_cast<const std::uint64_t*>(address);
}

// By what is known already. False: something is not.
bool walk(Chain& chain, std::uint64_t pc, std::uint64_t stack_pointer) {
  for (std::uint32_t depth = 0; depth < kFramesWalkedMax; ++depth) {
    const ReturnAddress* here = return_addresses.find(pc);
    if (here == nullptr || here->irregular) return false;
    if (chain.add(pc, here->owner)) return true;
    if (!here->known) return false;
    if (here->frame_size == 0) return true;
    stack_pointer += here->frame_size;
    const std::uint64_t above = word_at(stack_pointer - sizeof above);
    if (links.find(link_key(pc, above)) == nullptr) return false;
    chain.see(stack_pointer - sizeof above, above);
    pc = above;
  }
  return true;
}

// The last walks, by where they began. A walk is decided by the return addresses that it met: as long as they stand
// where they stood, it ends at the same site. Comparing them costs a tenth of the walk, whose every step waits for the
// one before.
struct RememberedWalk {
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
// Lock and unlock often begin at the same place and differ further up: a few of each beginning are kept.
constexpr std::size_t kBeginnings = 64;
constexpr std::size_t kWalksPerBeginning = 4;
struct Beginning {
  RememberedWalk walks[kWalksPerBeginning];
  std::size_t oldest;
};
Beginning beginnings[kBeginnings];

void remember(Beginning& beginning, std::uint64_t pc, std::uint64_t stack_pointer, const Chain& chain, SiteId site) {
  if (chain.seen_count > kWordsRememberedMax) return;
  RememberedWalk& walk = beginning.walks[beginning.oldest++ % kWalksPerBeginning];
  walk.pc = pc;
  walk.stack_pointer = stack_pointer;
  walk.site = site;
  walk.count = chain.seen_count;
  for (std::uint32_t i = 0; i < chain.seen_count; ++i) walk.words[i] = chain.seen[i];
}

void forget_walks() {
  for (Beginning& beginning : beginnings)
    for (RememberedWalk& walk : beginning.walks) walk.pc = 0;
}

struct Unwinding {
  Chain& chain;
  std::uint64_t stack_pointer;  // of the frame before; 0: the walk has not come to where it begins
  std::uint64_t pc;
  std::uint64_t begin;
  std::uint32_t depth;
};

void learn_size(std::uint64_t pc, std::uint64_t size) {
  ReturnAddress& here = return_addresses[pc];
  if (here.known && here.frame_size != size) {
    here.irregular = true;
    forget_walks();  // some may have trusted it
  }
  here.frame_size = static_cast<std::uint32_t>(size);
  here.known = true;
}

_Unwind_Reason_Code visit_frame(_Unwind_Context* context, void* argument) {
  Unwinding& unwinding = *static_cast<Unwinding*>(argument);
  const std::uint64_t stack_pointer = _Unwind_GetCFA(context);  // in this frame, at its call
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (unwinding.stack_pointer == 0) {
    if (stack_pointer != unwinding.begin) return _URC_NO_REASON;
  } else {
    const bool called = stack_pointer > unwinding.stack_pointer && word_at(stack_pointer - sizeof pc) == pc;
    learn_size(unwinding.pc, called ? stack_pointer - unwinding.stack_pointer : 0);
    if (!called) return _URC_END_OF_STACK;  // it was interrupted by a signal
    links[link_key(unwinding.pc, pc)] = true;
  }
  unwinding.stack_pointer = stack_pointer;
  unwinding.pc = pc;
  ReturnAddress& here = return_addresses[pc];
  here.owner = owner_of(pc);
  const bool enough = unwinding.chain.add(pc, here.owner) || ++unwinding.depth == kFramesWalkedMax;
  if (enough) unwinding.pc = 0;
  return enough ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// By the unwinder, which is a hundred times slower; the walk knows these frames from now on.
void unwind(Chain& chain, std::uint64_t begin) {
  Uncontrolled libc;
  Unwinding unwinding{chain, 0, 0, begin, 0};
  _Unwind_Backtrace(visit_frame, &unwinding);
  if (unwinding.pc != 0 && !return_addresses[unwinding.pc].known) learn_size(unwinding.pc, 0);
}

SiteId intern(const Chain& chain) {
  if (chain.count == 0) return kNoSite;
  if (const std::uint32_t* known = sites.find(chain.key); known != nullptr) return SiteId{*known};
  if (site_count == kCallSitesMax) return kNoSite;
  const std::uint32_t site = format::kFirstCallSite + site_count++;
  for (std::uint32_t i = 0; i < chain.count; ++i)
    ring_write(format::ring_head(format::kCallSite, 0, 0, site), chain.pcs[i]);
  sites[chain.key] = site;
  return SiteId{site};
}

}  // namespace

__attribute__((noinline)) SiteId find_call_site() {
  const auto pc = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  const std::uint64_t stack_pointer = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 2 * sizeof pc;
  Beginning& beginning = beginnings[mix(pc, stack_pointer) % kBeginnings];
  for (const RememberedWalk& known : beginning.walks)
    if (known.holds(pc, stack_pointer)) return known.site;
  Chain chain;
  if (walk(chain, pc, stack_pointer)) {
    const SiteId site = intern(chain);
    remember(beginning, pc, stack_pointer, chain, site);
    return site;
  }
  Chain unwound;
  unwind(unwound, stack_pointer);
  return intern(unwound);
}

}  // namespace heddle::runtime
