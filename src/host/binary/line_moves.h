#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::binary {

// How far the lines of files have moved between two builds, as far as it can be told from places that are in both. Code
// moves in blocks, so a line is taken to have moved as what is around it has. Files are known by their last name: a
// program may be rebuilt in another directory.
class LineMoves {
 public:
  // Something says, with this weight, that the line has gone down by so many lines.
  void add(std::string_view file, std::uint32_t line, std::int64_t down, double weight);

  // 0 where nothing was said of the file.
  std::int64_t at(std::string_view file, std::uint32_t line) const;

 private:
  using Move = std::pair<std::uint32_t, std::int64_t>;  // line, down
  std::map<std::string, std::map<Move, double>, std::less<>> files_;
};

}  // namespace heddle::binary
