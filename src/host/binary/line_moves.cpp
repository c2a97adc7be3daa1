#include "binary/line_moves.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::binary {
namespace {

std::string_view last_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

void LineMoves::add(std::string_view file, std::uint32_t line, std::int64_t down, double weight) {
  files_[std::string(last_name(file))][{line, down}] += weight;
}

std::int64_t LineMoves::at(std::string_view file, std::uint32_t line) const {
  const auto moves = files_.find(last_name(file));
  if (moves == files_.end()) return 0;
  std::map<std::int64_t, double> support;
  for (const auto& [move, weight] : moves->second) {
    const auto distance = std::llabs(static_cast<long long>(move.first) - static_cast<long long>(line));
    support[move.second] += weight / static_cast<double>(1 + distance);
  }
  return std::max_element(support.begin(), support.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace heddle::binary
