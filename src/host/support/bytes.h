#pragma once
// Writes and reads the little-endian bytes of files and sections.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

static_assert(std::endian::native == std::endian::little, "integers are copied byte by byte");

// Longer strings are truncated, because a table row must fit into a chunk.
inline constexpr std::size_t kStringMax = 1u << 20;

template <typename Integer>
void put_fixed(std::string& out, Integer value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// LEB128, 7 bits a byte.
inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void put_string(std::string& out, std::string_view text) {
  text = text.substr(0, kStringMax);
  put_varint(out, text.size());
  out.append(text);
}

// Reads what the functions above write. After the end, or after malformed bytes, it returns zeros and ok() stays false,
// so that a caller checks only once, after a whole row.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  explicit ByteReader(std::span<const std::uint8_t> bytes)
      : ByteReader(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  template <typename Integer>
  Integer fixed() {
    Integer value = 0;
    if (left() < sizeof value) return fail();
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail();
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift == 63 && byte > 1) return fail();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }

  template <typename Integer>
  Integer varint_as() {
    const std::uint64_t value = varint();
    if (value != static_cast<Integer>(value)) return fail();
    return static_cast<Integer>(value);
  }

  std::string_view bytes(std::uint64_t size) {
    if (left() < size) return fail(), std::string_view();
    const std::string_view taken(at_, size);
    at_ += size;
    return taken;
  }

  std::string string() { return std::string(bytes(varint())); }

  unsigned char fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

inline std::string hex_text(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned byte : bytes) (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  return text;
}

constexpr std::uint64_t zigzag(std::uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
constexpr std::uint64_t unzigzag(std::uint64_t coded) { return coded >> 1 ^ (0 - (coded & 1)); }

}  // namespace heddle
