#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace heddle::binary {

// The 32-bit words of one row of a section that the pass left; what lies outside of it reads as a failure.
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
  // As next(), for a number that is below `end`.
  std::uint32_t below(std::uint64_t end) {
    const std::uint32_t value = next();
    if (value >= end) failed_ = true;
    return failed_ ? 0 : value;
  }
  // How many of something follow, each of one word at least.
  std::uint32_t count() { return below(bytes_.size()); }
  // Padded to whole words.
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
