#include "runtime/record/call_sites.h"

#include "runtime/record/call_chain.h"
#include "runtime/graph/call_site_table.h"
#include "runtime/memory/pointer_map.h"
#include "runtime/record/ring.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/record/session.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kCallSitesMax = 1u << 16;  // what comes after has no place

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
constinit RememberedWalks<64, 4> remembered = {};

std::uintptr_t link_key(std::uint64_t from, std::uint64_t to) {
  return mix_address(mix_address(1, from), to) | 1;
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

// The walk knows these frames from now on.
struct Learner {
  Owner frame(std::uint64_t pc) const { return return_addresses[pc].owner = owner_of(pc); }
  void size(std::uint64_t pc, std::uint64_t bytes) const {
    ReturnAddress& here = return_addresses[pc];
    if (here.known && here.frame_size != bytes) {
      here.irregular = true;
      remembered.forget();  // some may have trusted it
    }
    here.frame_size = static_cast<std::uint32_t>(bytes);
    here.known = true;
  }
  void link(std::uint64_t pc, std::uint64_t above) const { links[link_key(pc, above)] = true; }
  void last(std::uint64_t pc) const {
    if (!return_addresses[pc].known) size(pc, 0);
  }
};

void unwind(Chain& chain, std::uint64_t begin) {
  Uncontrolled libc;
  Learner learner;
  Unwinding(chain, begin, learner).run();
}

SiteId intern(const Chain& chain) {
  if (chain.count == 0) return kNoSite;
  if (const std::uint32_t* known = sites.find(chain.key); known != nullptr) return SiteId{*known};
  if (site_count == kCallSitesMax) return kNoSite;
  const SiteId site =
      wants_graph_call_sites() ? put_graph_call_site(chain) : SiteId{format::kFirstCallSite + site_count++};
  if (hot.record && site != kNoSite)
    for (std::uint32_t i = 0; i < chain.count; ++i)
      ring_write(format::ring_head(format::kCallSite, 0, 0, number(site)), chain.pcs[i]);
  sites[chain.key] = number(site);
  return site;
}

// Apart from what is nearly always found at once, which saves no register then.
[[gnu::noinline]] SiteId walk_to_call_site(std::uint64_t pc, std::uint64_t stack_pointer) {
  Chain chain;
  if (walk(chain, pc, stack_pointer)) {
    const SiteId site = intern(chain);
    remembered.remember(pc, stack_pointer, chain, site);
    return site;
  }
  Chain unwound;
  unwind(unwound, stack_pointer);
  return intern(unwound);
}

}  // namespace

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

__attribute__((noinline)) SiteId find_call_site() {
  const auto pc = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  const std::uint64_t stack_pointer = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 2 * sizeof pc;
  if (const SiteId* known = remembered.find(pc, stack_pointer)) return *known;
  return walk_to_call_site(pc, stack_pointer);
}

}  // namespace heddle::runtime
