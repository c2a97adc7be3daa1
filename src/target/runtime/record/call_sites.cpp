#include "runtime/record/call_sites.h"

#include "runtime/graph/call_site_table.h"
#include "runtime/record/call_chain.h"
#include "runtime/record/ring.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kCallSitesMax = 1u << 16;  // later ones are recorded as kNoSite

constexpr RecordingState& state = rt.recording;

std::uintptr_t link_key(std::uint64_t from, std::uint64_t to) { return mix_address(mix_address(1, from), to) | 1; }

// A walk over known frames. False: it reached an unknown or irregular one.
bool walk(Chain& chain, std::uint64_t pc, std::uint64_t stack_pointer) {
  for (std::uint32_t depth = 0; depth < kFramesWalkedMax; ++depth) {
    const ReturnAddress* here = state.return_addresses.find(pc);
    if (here == nullptr || here->irregular) return false;
    if (chain.add(pc, here->owner)) return true;
    if (!here->known) return false;
    if (here->frame_size == 0) return true;
    stack_pointer += here->frame_size;
    const std::uint64_t above = word_at(stack_pointer - sizeof above);
    if (state.links.find(link_key(pc, above)) == nullptr) return false;
    chain.see(stack_pointer - sizeof above, above);
    pc = above;
  }
  return true;
}

// Makes the frames known to walk().
struct Learner {
  Owner frame(std::uint64_t pc) const { return state.return_addresses[pc].owner = owner_of(pc); }
  void size(std::uint64_t pc, std::uint64_t bytes) const {
    ReturnAddress& here = state.return_addresses[pc];
    if (here.known && here.frame_size != bytes) {
      here.irregular = true;
      state.remembered_walks.forget();  // some may depend on this frame
    }
    here.frame_size = static_cast<std::uint32_t>(bytes);
    here.known = true;
  }
  void link(std::uint64_t pc, std::uint64_t above) const { state.links[link_key(pc, above)] = true; }
  void last(std::uint64_t pc) const {
    if (!state.return_addresses[pc].known) size(pc, 0);
  }
};

void unwind(Chain& chain, std::uint64_t begin) {
  Uncontrolled libc;
  Learner learner;
  Unwinding(chain, begin, learner).run();
}

SiteId intern(const Chain& chain) {
  if (chain.count == 0) return kNoSite;
  if (const std::uint32_t* known = state.call_sites.find(chain.key); known != nullptr) return SiteId{*known};
  if (state.call_site_count == kCallSitesMax) return kNoSite;
  const SiteId site =
      wants_graph_call_sites() ? put_graph_call_site(chain) : SiteId{format::kFirstCallSite + state.call_site_count++};
  if (hot.record && site != kNoSite)
    for (std::uint32_t i = 0; i < chain.count; ++i)
      ring_write(format::ring_head(format::kCallSite, 0, 0, number(site)), chain.pcs[i]);
  state.call_sites[chain.key] = number(site);
  return site;
}

// Not inlined, so that the common path, a remembered walk, saves no registers.
[[gnu::noinline]] SiteId walk_to_call_site(std::uint64_t pc, std::uint64_t stack_pointer) {
  Chain chain;
  if (walk(chain, pc, stack_pointer)) {
    const SiteId site = intern(chain);
    state.remembered_walks.remember(pc, stack_pointer, chain, site);
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
  if (const SiteId* known = state.remembered_walks.find(pc, stack_pointer)) return *known;
  return walk_to_call_site(pc, stack_pointer);
}

}  // namespace heddle::runtime
