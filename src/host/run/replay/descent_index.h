#pragma once
#include <map>
#include <string>

#include "run/process/session_memory.h"
#include "run/replay/clip_builder.h"

namespace heddle::run {

// Numbers the threads that the inputs of a session refer to.
class DescentIndex {
 public:
  explicit DescentIndex(SessionInputs& inputs) : inputs_(inputs) {}

  // The index of this thread in the inputs; adds the thread if necessary. Fails if `name` is not a descent.
  Result<std::uint32_t> of(const std::string& name) {
    const auto found = index_.find(name);
    if (found != index_.end()) return found->second;
    const Result<std::uint64_t> hash = parse_descent(name);
    if (!hash) return hash.error();
    const auto position = static_cast<std::uint32_t>(inputs_.descents.size());
    inputs_.descents.push_back(*hash);
    inputs_.descent_names.push_back(name);
    return index_.emplace(name, position).first->second;
  }

 private:
  SessionInputs& inputs_;
  std::map<std::string, std::uint32_t> index_;
};

}  // namespace heddle::run
