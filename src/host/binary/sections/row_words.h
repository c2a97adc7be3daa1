#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace heddle::binary {

// Reads the 32-bit words of one row that the pass wrote into a section. Reading past the end sets failed().
class RowWords {
 public:
  explicit RowWords(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint32_t next() {
    std::uint32_t value = 0;
    if (bytes_.size() - at_ < sizeof value) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // Like next(), and fails unless the number is below `end`.
  std::uint32_t below(std::uint64_t end) {
    const std::uint32_t value = next();
    if (value >= end) failed_ = true;
    return failed_ ? 0 : value;
  }
  // The number of elements that follow. Elements take at least one word each, so a larger number is damage.
  std::uint32_t count() { return below(bytes_.size()); }
  // A text that is padded to whole words.
  std::string text(std::uint32_t size) {
    const std::uint64_t padded = (std::uint64_t{size} + 3) / 4 * 4;
    if (bytes_.size() - at_ < padded) {
      failed_ = true;
      return {};
    }
    std::string result(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += padded;
    return result;
  }
  bool failed() const { return failed_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace heddle::binary
