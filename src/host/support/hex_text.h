#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace heddle {

// Two hexadecimal digits for each byte.
inline std::string hex_text(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

}  // namespace heddle
