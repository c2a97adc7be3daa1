#pragma once
// Parses printf formats to find the arguments that are read as strings.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::instrument {

struct StringConversion {
  unsigned argument;                           // counted from 0 after the format
  std::optional<std::uint64_t> precision;      // %.5s: at most 5 bytes are read
  std::optional<unsigned> precision_argument;  // %.*s: the argument that holds the precision

  friend bool operator==(const StringConversion&, const StringConversion&) = default;
};

struct PrintfFormat {
  std::vector<StringConversion> strings;
  bool writes_arguments = false;  // %n

  friend bool operator==(const PrintfFormat&, const PrintfFormat&) = default;
};

// Returns nullopt for a format with numbered arguments (%1$s) or an unknown conversion.
std::optional<PrintfFormat> parse_printf_format(std::string_view format);

}  // namespace heddle::instrument
