#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "support/bytes.h"

namespace heddle::binary {

// Reads the 32-bit words of one row that the pass wrote into a section.
class RowWords : public ByteReader {
 public:
  explicit RowWords(std::span<const std::uint8_t> bytes) : ByteReader(bytes), size_(bytes.size()) {}

  std::uint32_t next() { return fixed<std::uint32_t>(); }
  // Like next(), and fails unless the number is below `end`.
  std::uint32_t below(std::uint64_t end) {
    const std::uint32_t value = next();
    return value < end ? value : fail();
  }
  // The number of elements that follow. Elements take at least one word each, so a larger number is damage.
  std::uint32_t count() { return below(size_); }
  // A text that is padded to whole words.
  std::string text(std::uint32_t size) { return std::string(bytes((std::uint64_t{size} + 3) / 4 * 4).substr(0, size)); }

 private:
  std::size_t size_;
};

// Calls `visit(row, offset)` for each row of a section; a row begins with `magic` and its size in bytes. Ends at the
// first damaged row, also if `visit` returns false.
template <typename Visit>
void for_each_row(std::span<const std::uint8_t> section, std::uint32_t magic, std::size_t head_words, Visit&& visit) {
  for (std::size_t at = 0; at + 4 * head_words <= section.size();) {
    std::uint32_t head[2];
    std::memcpy(head, section.data() + at, sizeof head);
    if (head[0] != magic || head[1] < 4 * head_words || head[1] > section.size() - at) return;
    if (!visit(section.subspan(at, head[1]), at)) return;
    at += head[1];
  }
}

}  // namespace heddle::binary
