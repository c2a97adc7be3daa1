#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::test_support {

// Builds the bytes of a file: little-endian numbers, LEB128, texts.
class ByteWriter {
 public:
  void u8(std::uint64_t value) { number(value, 1); }
  void u16(std::uint64_t value) { number(value, 2); }
  void u32(std::uint64_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void uleb(std::uint64_t value) {
    do {
      const std::uint64_t rest = value >> 7;
      u8((value & 0x7f) | (rest != 0 ? 0x80 : 0));
      value = rest;
    } while (value != 0);
  }
  void sleb(std::int64_t value) {
    for (;;) {
      const std::int64_t rest = value >> 7;
      const bool last = (rest == 0 && (value & 0x40) == 0) || (rest == -1 && (value & 0x40) != 0);
      u8(static_cast<std::uint64_t>(value & 0x7f) | (last ? 0 : 0x80));
      if (last) return;
      value = rest;
    }
  }
  void text(std::string_view value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    bytes_.push_back(0);
  }
  void bytes(std::span<const std::uint8_t> value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }
  template <typename T>
  void object(const T& value) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void fill_to(std::size_t size) { bytes_.resize(size < bytes_.size() ? bytes_.size() : size); }
  void align(std::size_t to) { fill_to((bytes_.size() + to - 1) / to * to); }
  void patch_u32(std::size_t at, std::uint64_t value) { std::memcpy(bytes_.data() + at, &value, 4); }

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace heddle::test_support
