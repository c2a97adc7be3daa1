#include "driver/response_file.h"

#include <cctype>
#include <fstream>
#include <sstream>

namespace heddle::instrument {
namespace {

// Bounds the expansion of response files that name each other.
constexpr int kDepthMax = 20;

void append_expanded(const std::string& argument, int depth, std::vector<std::string>& expanded) {
  if (argument.size() > 1 && argument[0] == '@' && depth < kDepthMax) {
    if (std::ifstream file(argument.substr(1)); file) {
      std::ostringstream text;
      text << file.rdbuf();
      for (const std::string& inner : split_response_text(text.str())) append_expanded(inner, depth + 1, expanded);
      return;
    }
  }
  expanded.push_back(argument);
}

}  // namespace

std::vector<std::string> split_response_text(std::string_view text) {
  std::vector<std::string> arguments;
  std::string current;
  bool in_argument = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '\\' && i + 1 < text.size()) {
      current += text[++i];
      in_argument = true;
    } else if (quote != '\0') {
      if (letter == quote)
        quote = '\0';
      else
        current += letter;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      in_argument = true;
    } else if (std::isspace(static_cast<unsigned char>(letter))) {
      if (in_argument) arguments.push_back(std::move(current));
      current.clear();
      in_argument = false;
    } else {
      current += letter;
      in_argument = true;
    }
  }
  if (in_argument) arguments.push_back(std::move(current));
  return arguments;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> expanded;
  for (const std::string& argument : arguments) append_expanded(argument, 0, expanded);
  return expanded;
}

}  // namespace heddle::instrument
