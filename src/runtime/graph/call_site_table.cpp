#include "runtime/graph/call_site_table.h"

#include "format/session.h"
#include "runtime/session.h"

namespace heddle::runtime {
namespace {

format::GraphCallSite* rows() {
  const std::uint64_t offset = session()->config.graph.call_sites_offset;
  return reinterpret_cast<format::GraphCallSite*>(reinterpret_cast<char*>(session()) + offset);
}

// The unwinder's own frames teach nothing to threads that have no common memory of them.
struct NativeLearner {
  Owner frame(std::uint64_t pc) const { return owner_of(pc); }
  void size(std::uint64_t, std::uint64_t) const {}
  void link(std::uint64_t, std::uint64_t) const {}
  void last(std::uint64_t) const {}
};

struct NativeWalks {
  RememberedWalks<8, 2> remembered;
  bool unwinding;  // the unwinder may lock something itself
};
[[gnu::tls_model("initial-exec")]] constinit thread_local NativeWalks native_walks = {};

}  // namespace

bool wants_graph_call_sites() {
  return session()->config.graph.call_sites_offset != 0;
}

SiteId put_graph_call_site(const Chain& chain) {
  format::GraphCallSite* const table = rows();
  std::uint32_t at = static_cast<std::uint32_t>(chain.key >> 32) % format::kGraphCallSites;
  for (std::uint32_t tried = 0; tried < format::kGraphCallSites; ++tried, at = (at + 1) % format::kGraphCallSites) {
    format::GraphCallSite& row = table[at];
    std::uint64_t key = row.key.load(std::memory_order_relaxed);
    if (key == 0 && row.key.compare_exchange_strong(key, chain.key, std::memory_order_relaxed)) {
      for (std::uint32_t i = 0; i < chain.count; ++i) row.pcs[i] = chain.pcs[i];
      row.count.store(chain.count, std::memory_order_release);
      session()->graph.call_sites.fetch_add(1, std::memory_order_release);
      key = chain.key;
    }
    if (key == chain.key) return SiteId{format::kFirstCallSite + at};
  }
  session()->graph.dropped.fetch_add(1, std::memory_order_relaxed);
  return kNoSite;
}

__attribute__((noinline)) SiteId find_native_call_site() {
  const auto pc = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  const std::uint64_t stack_pointer = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 2 * sizeof pc;
  NativeWalks& walks = native_walks;
  if (const SiteId* known = walks.remembered.find(pc, stack_pointer)) return *known;
  if (walks.unwinding) return kNoSite;
  walks.unwinding = true;
  Chain chain;
  NativeLearner learner;
  Unwinding(chain, stack_pointer, learner).run();
  walks.unwinding = false;
  const SiteId site = chain.count == 0 ? kNoSite : put_graph_call_site(chain);
  walks.remembered.remember(pc, stack_pointer, chain, site);
  return site;
}

}  // namespace heddle::runtime
