#pragma once
// The words of a line of the text form.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::trace {

// The text in double quotes, with escapes for quotes, backslashes and bytes that are not printable ASCII.
std::string quoted_text(std::string_view text);

// Decimal, or hexadecimal after "0x".
std::optional<std::uint64_t> number_of(std::string_view text);

// Splits a line from left to right. Keeps the first problem.
class TextFields {
 public:
  explicit TextFields(std::string_view line) : rest_(line) {}

  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  void refuse(std::string problem) {
    if (ok()) problem_ = std::move(problem);
  }

  // The next word, up to white space; empty at the end of the line or at a comment.
  std::string_view word();

  template <typename Integer>
  Integer integer(std::string_view text) {
    const std::optional<std::uint64_t> value = number_of(text);
    if (value && *value <= std::numeric_limits<Integer>::max()) return static_cast<Integer>(*value);
    refuse("\"" + std::string(text) + "\" is not a number that fits here");
    return 0;
  }
  template <typename Integer>
  Integer integer() {
    return integer<Integer>(word());
  }
  // "key=number"
  template <typename Integer>
  Integer integer(std::string_view key, std::string_view text) {
    return integer<Integer>(after_key(key, text));
  }

  std::string string();                      // in quotes
  std::string string(std::string_view key);  // key="..."
  void expect_end();

 private:
  std::string_view after_key(std::string_view key, std::string_view text);
  void skip_space();

  std::string_view rest_;
  std::string problem_;
};

}  // namespace heddle::trace
