#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::binary {

// Estimates how far source lines have moved between two builds, from places that both builds have. Code moves in
// blocks, so each line moves like the known places around it. Files are identified by their last path component,
// because a program may be rebuilt in another directory.
class LineMoves {
 public:
  // Adds evidence, with this weight, that the line has moved down by `down` lines.
  void add(std::string_view file, std::uint32_t line, std::int64_t down, double weight);

  // 0 for a file without evidence.
  std::int64_t at(std::string_view file, std::uint32_t line) const;

 private:
  using Move = std::pair<std::uint32_t, std::int64_t>;  // line, down
  std::map<std::string, std::map<Move, double>, std::less<>> files_;
};

}  // namespace heddle::binary
