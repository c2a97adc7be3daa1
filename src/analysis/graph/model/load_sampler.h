#pragma once
#include <memory>
#include <vector>

#include "graph/model/load_samples.h"

namespace heddle::graph {

// Samples the loads of the programs that this thread starts while it lives, on all processors.
class LoadSampler {
 public:
  static Result<std::unique_ptr<LoadSampler>> start(const LoadEvent& event);
  ~LoadSampler();
  LoadSampler(const LoadSampler&) = delete;
  LoadSampler& operator=(const LoadSampler&) = delete;

  // Takes what there is out of the rings; often enough, or samples are lost.
  void drain();
  // Transfers so far, in the order of time.
  std::vector<LoadSample> take_transfers();
  std::uint64_t lost() const { return lost_; }

 private:
  struct Ring {
    int descriptor = -1;
    int leader = -1;
    void* memory = nullptr;
  };
  LoadSampler() = default;
  // False: that processor is not there. An error: sampling is not allowed.
  Result<bool> open(const LoadEvent& event, int processor);

  std::vector<Ring> rings_;
  std::vector<LoadSample> transfers_;
  std::vector<std::byte> buffer_;
  std::uint64_t lost_ = 0;
};

}  // namespace heddle::graph
