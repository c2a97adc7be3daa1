#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "format/ring.h"

namespace heddle::validate {

// The ways that the threads of one run took: which place came after which. Orders of threads do not matter here.
struct RunPaths {
  std::uint64_t signature = 0;       // equal when every thread did the same
  std::vector<std::uint64_t> steps;  // thread, place and the place before it; each once, sorted
};

class PathRecorder {
 public:
  void add(std::uint64_t descent, std::uint32_t site, format::EventKind kind);
  RunPaths take();

 private:
  struct Thread {
    std::uint64_t before = 0;
    EventHash all;
  };
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::unordered_set<std::uint64_t> steps_;
  Thread* last_ = nullptr;
  std::uint64_t last_descent_ = 0;
};

// What was taken so far, by whatever run.
class KnownPaths {
 public:
  // How much of it is new.
  std::size_t novelty(const RunPaths& paths) const;
  bool has(std::uint64_t signature) const { return signatures_.contains(signature); }
  void add(const RunPaths& paths);

 private:
  std::unordered_set<std::uint64_t> signatures_;
  std::unordered_set<std::uint64_t> steps_;
};

}  // namespace heddle::validate
