#pragma once
// BB-HW (Bugaboo, section 4.2) as a model: private L1 caches kept coherent by MESI. Each line carries the instruction
// and the context that wrote it, and communication is written to a table when a line passes between caches. If the
// paper is silent or contradicts itself, docs/papers.md says which reading this is.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/model/graph_builder.h"
#include "graph_rules/context.h"
#include "trace/event.h"

namespace heddle::graph {

inline constexpr std::uint32_t kLineShift = 6;  // a cache line has 64 bytes

struct HardwareConfig {
  std::uint32_t cores = 16;
  std::uint32_t cache_bytes = 32 << 10;
  std::uint32_t ways = 8;
  std::uint32_t table_entries = 16'384;
  std::uint32_t trap_operations = 2'000;  // operations while a trap empties the table; their communication is lost
};

// The columns of the paper's Table 5.
struct HardwareCounters {
  std::uint64_t operations = 0;
  std::uint64_t read_misses = 0;
  std::uint64_t write_misses = 0;
  std::uint64_t coherence_misses = 0;  // writes to a line that the cache holds as shared
  std::uint64_t metadata_writes = 0;
  std::uint64_t table_writes = 0;
  std::uint64_t traps = 0;
  std::uint64_t discarded = 0;  // table writes during traps
  bool operator==(const HardwareCounters&) const = default;
  HardwareCounters& operator+=(const HardwareCounters& other);
};

class HardwareModel {
 public:
  explicit HardwareModel(const HardwareConfig& config, std::uint32_t context_size = graph_rules::kContextSizeDefault);

  void add(const trace::Event& event);
  void access(std::uint32_t core, std::uint32_t site, std::uint64_t line, bool write);

  const std::vector<RunEdge>& edges() const { return edges_.all(); }
  const HardwareCounters& counters() const { return counters_; }
  Context context_of(std::uint32_t core) const { return contexts_[core]; }

 private:
  enum class State : std::uint8_t { Invalid, Shared, Exclusive, Modified };
  // One end of an edge as in graph_rules/edge_table.h; 0: no core has written the line since a cache holds it.
  using Metadata = std::uint64_t;
  struct Line {
    std::uint64_t tag = 0;
    Metadata writer = 0;
    std::uint64_t used = 0;  // time of the last use, for replacement
    State state = State::Invalid;
  };

  Line* find(std::uint32_t core, std::uint64_t line);
  Line& fill(std::uint32_t core, std::uint64_t line, State state, Metadata writer);
  void read_miss(std::uint32_t core, std::uint32_t site, std::uint64_t line);
  void write_miss(std::uint32_t core, std::uint32_t site, std::uint64_t line, Line* here);
  void push(std::uint32_t core, graph_rules::Event event);
  void write_table(Metadata source, Metadata sink, bool is_edge);

  const HardwareConfig config_;
  const Context mask_;
  const std::uint32_t sets_;
  std::vector<Line> lines_;  // by core, set and way
  std::vector<Context> contexts_;
  std::unordered_map<std::uint64_t, std::uint64_t> holders_;  // by line: a bit for each core that holds it
  std::uint64_t now_ = 0;                                     // operations
  std::uint32_t table_used_ = 0;
  std::uint64_t trap_until_ = 0;
  HardwareCounters counters_;
  RunEdges edges_;
};

}  // namespace heddle::graph
