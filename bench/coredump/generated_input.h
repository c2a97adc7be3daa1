#pragma once
// Input that precedes the input of a bug report, as in the paper, so that the crash happens late: requests of the same
// kind that cannot fail, drawn from a seed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

class GeneratedInput {
 public:
  explicit GeneratedInput(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::size_t below(std::size_t end) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 33) % end);
  }

 private:
  std::uint64_t state_;
};
