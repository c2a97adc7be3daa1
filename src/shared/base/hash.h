#pragma once
// The two hashes that appear in files. Changing either changes what stored clips mean: bump the clip version.
#include <cstddef>
#include <cstdint>

namespace heddle {

// Order-sensitive fingerprint of a run: two runs of one clip must end with equal hashes. One multiplication a step,
// because it is on the path of every scheduling point.
class EventHash {
 public:
  constexpr void add(std::uint64_t word) { value_ = ((value_ << 23 | value_ >> 41) ^ word) * 0x9e3779b97f4a7c15u; }
  constexpr std::uint64_t value() const { return value_; }
  // Continues from a value that another object computed.
  static constexpr EventHash resume(std::uint64_t value) {
    EventHash hash;
    hash.value_ = value;
    return hash;
  }

 private:
  std::uint64_t value_ = 0x4845'4444'4c45u;  // "HEDDLE": the hash of an empty run is not zero
};

// FNV-1a over bytes.
constexpr std::uint64_t hash_bytes(const char* bytes, std::size_t size, std::uint64_t seed = 0xcbf29ce484222325u) {
  std::uint64_t value = seed;
  for (std::size_t i = 0; i < size; ++i) value = (value ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
  return value;
}

// A thread is identified in files by its descent ("0.2.1"), and inside a run by this hash of the descent.
inline constexpr std::uint64_t kMainDescent = 0x6d61696eu;
constexpr std::uint64_t child_descent(std::uint64_t parent, std::uint32_t ordinal) {
  std::uint64_t value = (parent ^ (ordinal + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  return value ^ (value >> 31);
}

}  // namespace heddle
