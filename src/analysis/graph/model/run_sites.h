#pragma once
#include <memory>

#include "graph/model/graph_builder.h"
#include "run/process/session_memory.h"

namespace heddle::graph {

// The code points of one run. Shared with the cache, which replaces them when it reads newer tables.
struct RunSites {
  std::shared_ptr<const CodeSites> accesses;
  std::shared_ptr<const CallSites> calls;

  const CodeSite* find(std::uint32_t site) const {
    return site >= format::kFirstCallSite ? calls->find(site) : accesses->find(site);
  }
};

// Reads the site tables of a session only if they have grown: modules are loaded and call sites are added, but none are
// removed.
class RunSiteCache {
 public:
  RunSites of(const run::SessionMemory& memory) {
    const format::SessionResult& result = memory.session().result;
    if (sites_.accesses == nullptr || modules_ != result.module_count) {
      sites_.accesses = std::make_shared<const CodeSites>(result);
      modules_ = result.module_count;
    }
    const std::uint64_t rows = memory.session().graph.call_sites.load(std::memory_order_acquire);
    if (sites_.calls == nullptr || rows_ != rows) {
      sites_.calls =
          std::make_shared<const CallSites>(*sites_.accesses, symbolizer_, result, memory.graph_call_sites());
      rows_ = rows;
    }
    return sites_;
  }
  // The next run is in another process, or a row was incomplete when it was read.
  void forget_calls() { sites_.calls = nullptr; }

 private:
  binary::Symbolizer symbolizer_;
  RunSites sites_;
  std::uint32_t modules_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace heddle::graph
