#include "trace/text/text_fields.h"

#include <fmt/format.h>

#include <charconv>
namespace heddle::trace {

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out += '"';
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void TextFields::skip_space() {
  while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  if (rest_.starts_with("# ")) rest_ = {};
}

std::string_view TextFields::word() {
  skip_space();
  const std::string_view taken = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::string TextFields::string() {
  skip_space();
  std::string text;
  if (!rest_.starts_with('"')) return refuse("a string in quotes is missing"), text;
  rest_.remove_prefix(1);
  while (!rest_.empty() && rest_.front() != '"') {
    char c = rest_.front();
    std::size_t taken = 1;
    if (c == '\\' && rest_.size() >= 2 && rest_[1] == 'x') {
      const std::optional<std::uint64_t> byte = number_of("0x" + std::string(rest_.substr(2, 2)));
      if (!byte || rest_.size() < 4) return refuse("a string has a malformed escape"), text;
      c = static_cast<char>(*byte);
      taken = 4;
    } else if (c == '\\') {
      if (rest_.size() < 2) break;
      c = rest_[1];
      taken = 2;
    }
    text += c;
    rest_.remove_prefix(taken);
  }
  if (rest_.empty())
    refuse("a string has no end");
  else
    rest_.remove_prefix(1);
  return text;
}

std::string TextFields::string(std::string_view key) {
  skip_space();
  if (!rest_.starts_with(key) || !rest_.substr(key.size()).starts_with('=')) {
    refuse(std::string(key) + "=\"...\" is missing");
    return "";
  }
  rest_.remove_prefix(key.size() + 1);
  return string();
}

std::string_view TextFields::after_key(std::string_view key, std::string_view text) {
  if (text.starts_with(key) && text.substr(key.size()).starts_with('=')) return text.substr(key.size() + 1);
  refuse(std::string(key) + "=... is missing");
  return "";
}

void TextFields::expect_end() {
  const std::string_view more = word();
  if (!more.empty()) refuse("\"" + std::string(more) + "\" is unexpected");
}

}  // namespace heddle::trace
