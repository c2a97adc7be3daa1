#pragma once
// SipHash-2-4 (Aumasson and Bernstein, 2012). Without the key, neither the hash of a value nor a small value behind a
// hash can be computed.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace heddle::coredump {

struct HashKey {
  std::uint64_t low = 0, high = 0;
};

inline std::uint64_t keyed_hash(const HashKey& key, std::string_view bytes) {
  std::uint64_t v0 = key.low ^ 0x736f6d6570736575u, v1 = key.high ^ 0x646f72616e646f6du;
  std::uint64_t v2 = key.low ^ 0x6c7967656e657261u, v3 = key.high ^ 0x7465646279746573u;
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  };
  const auto take = [&](std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  std::size_t at = 0;
  std::uint64_t word = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::memcpy(&word, bytes.data() + at, 8);
    take(word);
  }
  word = 0;
  if (at < bytes.size()) std::memcpy(&word, bytes.data() + at, bytes.size() - at);
  take(word | std::uint64_t{bytes.size()} << 56);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace heddle::coredump
