// List walk: a table of linked lists; four threads traverse and change a part each. usage: list_walk
// [rounds]
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "size.h"

namespace {

constexpr std::size_t kThreads = 4;

struct Node {
  Node* next;
  std::uint32_t value;
};

std::uint64_t walk(const std::vector<Node*>& table, std::size_t first, std::size_t rounds) {
  std::uint64_t odd = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = first; i < table.size(); i += kThreads) {
      for (Node* node = table[i]; node != nullptr; node = node->next) {
        node->value += static_cast<std::uint32_t>(round);
        odd += node->value & 1;
      }
    }
  }
  return odd;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rounds = size_argument(argc, argv, 500);
  constexpr std::size_t kLists = 1 << 14;
  constexpr std::size_t kLength = 16;
  std::vector<Node> nodes(kLists * kLength);
  std::vector<Node*> table(kLists);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node*& head = table[i % kLists];
    nodes[i] = {head, static_cast<std::uint32_t>(i * 7)};
    head = &nodes[i];
  }

  std::uint64_t odd[kThreads] = {};
  {
    std::vector<std::jthread> walkers;
    for (std::size_t i = 0; i < kThreads; ++i) walkers.emplace_back([&, i] { odd[i] = walk(table, i, rounds); });
  }
  std::uint64_t checksum = 0;
  for (std::uint64_t count : odd) checksum = checksum * 31 + count;
  std::printf("%016llx\n", static_cast<unsigned long long>(checksum));
  return 0;
}
