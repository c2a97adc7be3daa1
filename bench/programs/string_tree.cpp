// A tree of std::string: two threads build a std::map each and look words up; main merges. usage:
// string_tree [words]
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <thread>

#include "random.h"
#include "size.h"

namespace {

using Tree = std::map<std::string, std::uint64_t>;

std::string random_word(Random& random) {
  std::string word = "word_of_a_common_beginning_";
  const std::uint64_t length = 3 + random.below(6);
  for (std::uint64_t i = 0; i < length; ++i) word += static_cast<char>('a' + random.below(6));
  return word;
}

Tree build(std::size_t words, std::uint64_t seed) {
  Random random(seed);
  Tree tree;
  for (std::size_t i = 0; i < words; ++i) tree[random_word(random)] += i;
  return tree;
}

std::uint64_t look_up(const Tree& tree, std::size_t words, std::uint64_t seed) {
  Random random(seed);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const auto entry = tree.find(random_word(random));
    if (entry != tree.end()) found += entry->second;
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t words = size_argument(argc, argv, 150000);
  Tree trees[2];
  std::uint64_t found[2];
  {
    std::jthread first([&] {
      trees[0] = build(words, 1);
      found[0] = look_up(trees[0], words, 3);
    });
    std::jthread second([&] {
      trees[1] = build(words, 2);
      found[1] = look_up(trees[1], words, 3);
    });
  }
  for (const auto& [word, count] : trees[1]) trees[0][word] += count;
  std::uint64_t checksum = found[0] * 31 + found[1];
  for (const auto& [word, count] : trees[0]) checksum = checksum * 31 + count + static_cast<unsigned char>(word.back());
  std::printf("%016llx\n", static_cast<unsigned long long>(checksum));
  return 0;
}
