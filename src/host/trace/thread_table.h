#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace heddle::trace {

// Who created whom, learned from the forks of a run. Names are made on demand: a chain of creations
// may be as deep as a run is long.
class ThreadTable {
 public:
  struct Row {
    ThreadId parent;
    std::uint32_t ordinal;  // which child of its parent, from 1
    bool operator==(const Row&) const = default;
  };

  // Takes the next ordinal of `parent` unless it is told one. A thread that is known already keeps
  // its row.
  void add(ThreadId thread, ThreadId parent, std::optional<std::uint32_t> ordinal = std::nullopt);

  // "0" for main, "0.2" for its second child. A thread whose creation was not seen is "?7".
  std::string name(ThreadId thread) const;
  std::optional<ThreadId> find(const std::string& name) const;

  // What the runtime knows each by (child_descent()), by number; at least `count`, 0 for those that were not seen.
  std::vector<std::uint64_t> descents(std::size_t count = 1) const;

  const std::map<ThreadId, Row>& rows() const { return rows_; }  // main has none
  bool operator==(const ThreadTable& other) const { return rows_ == other.rows_; }

 private:
  std::map<ThreadId, Row> rows_;
  std::map<ThreadId, std::uint32_t> children_;
};

}  // namespace heddle::trace
