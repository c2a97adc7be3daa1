#include "pass/sites/printf_format.h"

namespace heddle::instrument {
namespace {

constexpr std::string_view kFlags = "-+ #0'I";
constexpr std::string_view kLengths = "hlqjztL";
constexpr std::string_view kConversions = "diouxXeEfFgGaAcCsSpnm%";
constexpr std::string_view kDigits = "0123456789";

class Parser {
 public:
  explicit Parser(std::string_view format) : rest_(format) {}

  std::optional<PrintfFormat> parse() {
    for (;;) {
      const std::size_t percent = rest_.find('%');
      if (percent == std::string_view::npos) return format_;
      rest_.remove_prefix(percent + 1);
      if (!parse_conversion()) return std::nullopt;
    }
  }

 private:
  bool parse_conversion() {
    skip(kFlags);
    if (take('*'))
      ++argument_;
    else
      skip(kDigits);
    StringConversion conversion{};
    if (take('.')) {
      if (take('*'))
        conversion.precision_argument = argument_++;
      else
        conversion.precision = take_number();
    }
    const std::string_view length = skip(kLengths);
    if (rest_.empty() || kConversions.find(rest_.front()) == std::string_view::npos) return false;
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    if (letter == '%' || letter == 'm') return true;
    conversion.argument = argument_++;
    if (letter == 's' && length.empty()) format_.strings.push_back(conversion);
    if (letter == 'n') format_.writes_arguments = true;
    return true;
  }

  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view skip(std::string_view set) {
    const std::size_t end = std::min(rest_.find_first_not_of(set), rest_.size());
    const std::string_view skipped = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return skipped;
  }

  std::uint64_t take_number() {
    std::uint64_t number = 0;
    for (char digit : skip(kDigits)) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    return number;
  }

  std::string_view rest_;
  unsigned argument_ = 0;
  PrintfFormat format_;
};

}  // namespace

std::optional<PrintfFormat> parse_printf_format(std::string_view format) { return Parser(format).parse(); }

}  // namespace heddle::instrument
