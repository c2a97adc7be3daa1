#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace heddle::trace {

// The parent of each thread, from the forks of a run. Names are built on demand, because a chain of forks may be as
// long as the run.
class ThreadTable {
 public:
  struct Row {
    ThreadId parent;
    std::uint32_t ordinal;  // which child of its parent, from 1
    bool operator==(const Row&) const = default;
  };

  // Without an ordinal the thread gets the next one of its parent. A known thread keeps its row.
  void add(ThreadId thread, ThreadId parent, std::optional<std::uint32_t> ordinal = std::nullopt);

  // "0" for main, "0.2" for its second child, "?7" for a thread without a recorded fork.
  std::string name(ThreadId thread) const;
  std::optional<ThreadId> find(const std::string& name) const;

  // The descent hash of each thread (child_descent()), by number. Has at least `count` entries; 0: unknown thread.
  std::vector<std::uint64_t> descents(std::size_t count = 1) const;

  const std::map<ThreadId, Row>& rows() const { return rows_; }  // main has none
  bool operator==(const ThreadTable& other) const { return rows_ == other.rows_; }

 private:
  std::map<ThreadId, Row> rows_;
  std::map<ThreadId, std::uint32_t> children_;
};

}  // namespace heddle::trace
