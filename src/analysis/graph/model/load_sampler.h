#pragma once
#include <memory>
#include <vector>

#include "graph/model/load_samples.h"
#include "support/unique_fd.h"

namespace heddle::graph {

// Samples the loads of programs that the calling thread starts during the lifetime of this object, on all processors.
class LoadSampler {
 public:
  static Result<std::unique_ptr<LoadSampler>> start(const LoadEvent& event);
  ~LoadSampler();
  LoadSampler(const LoadSampler&) = delete;
  LoadSampler& operator=(const LoadSampler&) = delete;

  // Empties the rings. Call it every few milliseconds: the kernel drops samples when a ring is full.
  void drain();
  // Takes the transfers so far, ordered by time.
  std::vector<LoadSample> take_transfers();
  std::uint64_t lost() const { return lost_; }

 private:
  struct Ring {
    UniqueFd leader;  // opened first, closed last
    UniqueFd event;
    void* memory = nullptr;
  };
  LoadSampler() = default;
  // False: the processor is offline. An error: the kernel refuses to sample.
  Result<bool> open(const LoadEvent& event, int processor);

  std::vector<Ring> rings_;
  std::vector<LoadSample> transfers_;
  std::vector<std::byte> buffer_;
  std::uint64_t lost_ = 0;
};

}  // namespace heddle::graph
