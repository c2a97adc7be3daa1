#include "runtime/graph/call_site_table.h"

#include "format/session.h"
#include "runtime/record/session.h"

namespace heddle::runtime {
namespace {

format::GraphCallSite* rows() {
  const std::uint64_t offset = session()->config.graph.call_sites_offset;
  return reinterpret_cast<format::GraphCallSite*>(reinterpret_cast<char*>(session()) + offset);
}

// Unwinding without a cache of frames: native threads share none.
struct NativeLearner {
  Owner frame(std::uint64_t pc) const { return owner_of(pc); }
  void size(std::uint64_t, std::uint64_t) const {}
  void link(std::uint64_t, std::uint64_t) const {}
  void last(std::uint64_t) const {}
};

// A stack walk of the calling thread, like those of RememberedWalks, but in a quarter of their size, because every
// thread has a table of them.
struct NativeWalk {
  std::uint64_t entry;  // return address of the interposed function; 0: none
  std::uint64_t stack_pointer;
  std::uint64_t words;  // a hash of the return addresses
  SiteId site;
  std::uint16_t count;
  std::uint16_t offsets[kWordsRememberedMax];  // of the return addresses from the stack pointer, in words

  static std::uint64_t add(std::uint64_t hash, std::uint32_t index, std::uint64_t word) {
    return hash + word * (0x9e3779b97f4a7c15u + 2 * index);  // the products are independent of each other
  }
  bool holds(std::uint64_t from_entry, std::uint64_t from_stack_pointer) const {
    if (entry != from_entry || stack_pointer != from_stack_pointer) return false;
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < count; ++i) hash = add(hash, i, word_at(stack_pointer + offsets[i] * sizeof hash));
    return hash == words;
  }
  void remember(std::uint64_t from_entry, std::uint64_t from_stack_pointer, const Chain& chain, SiteId found) {
    if (chain.seen_count > kWordsRememberedMax) return;
    *this = {from_entry, from_stack_pointer, 0, found, static_cast<std::uint16_t>(chain.seen_count), {}};
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t offset = (chain.seen[i].address - stack_pointer) / sizeof words;
      if (offset > 0xffff) entry = 0;  // does not fit, so the walk is not remembered
      offsets[i] = static_cast<std::uint16_t>(offset);
      words = add(words, i, chain.seen[i].word);
    }
  }
};
static_assert(sizeof(NativeWalk) == 64);

constexpr std::size_t kNativeBuckets = 32;
constexpr std::size_t kNativeWalks = 2;  // per bucket
struct NativeWalks {
  NativeWalk remembered[kNativeBuckets][kNativeWalks];
  std::uint8_t oldest[kNativeBuckets];
  bool unwinding;  // the unwinder may lock a mutex, which must not start another walk
};
[[gnu::tls_model("initial-exec")]] constinit thread_local NativeWalks native_walks = {};

}  // namespace

bool wants_graph_call_sites() { return session()->config.graph.call_sites_offset != 0; }

SiteId put_graph_call_site(const Chain& chain) {
  format::GraphCallSite* const table = rows();
  std::uint32_t at = static_cast<std::uint32_t>(chain.key >> 32) % format::kGraphCallSites;
  for (std::uint32_t tried = 0; tried < format::kGraphCallSites; ++tried, at = (at + 1) % format::kGraphCallSites) {
    format::GraphCallSite& row = table[at];
    std::uint64_t key = row.key.load(std::memory_order_relaxed);
    const bool is_new = key == 0 && row.key.compare_exchange_strong(key, chain.key, std::memory_order_relaxed);
    if (!is_new && key != chain.key) continue;
    // Also when another thread claimed the row: it may have been killed before filling it.
    if (row.count.load(std::memory_order_acquire) == 0) {
      for (std::uint32_t i = 0; i < chain.count; ++i) row.pcs[i] = chain.pcs[i];
      row.count.store(chain.count, std::memory_order_release);
    }
    if (is_new) session()->graph.call_sites.fetch_add(1, std::memory_order_release);
    return SiteId{format::kFirstCallSite + at};
  }
  session()->graph.dropped.fetch_add(1, std::memory_order_relaxed);
  return kNoSite;
}

__attribute__((noinline)) SiteId find_native_call_site(const void* entered_from) {
  const std::uint64_t stack_pointer = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 2 * sizeof(void*);
  const auto entry = reinterpret_cast<std::uint64_t>(entered_from);
  const std::size_t bucket = mix_address(entry, stack_pointer) % kNativeBuckets;
  NativeWalks& walks = native_walks;
  for (const NativeWalk& known : walks.remembered[bucket])
    if (known.holds(entry, stack_pointer)) return known.site;
  if (walks.unwinding) return kNoSite;
  walks.unwinding = true;
  Chain chain;
  NativeLearner learner;
  Unwinding(chain, stack_pointer, learner).run();
  walks.unwinding = false;
  const SiteId site = chain.count == 0 ? kNoSite : put_graph_call_site(chain);
  walks.remembered[bucket][walks.oldest[bucket]++ % kNativeWalks].remember(entry, stack_pointer, chain, site);
  return site;
}

}  // namespace heddle::runtime
