#include "slice/memory_dependences.h"

#include <gtest/gtest.h>

namespace heddle::slice {
namespace {

std::vector<NodeId> sorted(const Dependences& found) {
  std::vector<NodeId> nodes(found.nodes().begin(), found.nodes().end());
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

struct Memory {
  std::vector<NodeId> read(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node) {
    Dependences found;
    memory.read(address, size, thread, node, found);
    return sorted(found);
  }
  std::vector<NodeId> write(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node) {
    Dependences found;
    memory.write(address, size, thread, node, found);
    return sorted(found);
  }
  MemoryDependences memory;
};

using Nodes = std::vector<NodeId>;

TEST(MemoryDependences, bytes_of_one_word_are_told_apart) {
  Memory memory;
  memory.write(0x100, 1, 1, 1);
  memory.write(0x101, 1, 2, 2);
  EXPECT_EQ(memory.read(0x100, 1, 3, 3), Nodes{1});
  EXPECT_EQ(memory.read(0x100, 4, 3, 4), (Nodes{1, 2}));
}

TEST(MemoryDependences, a_word_written_as_a_whole_and_read_in_part) {
  Memory memory;
  memory.read(0x100, 4, 2, 1);
  memory.write(0x100, 8, 1, 2);
  EXPECT_EQ(memory.read(0x103, 2, 3, 3), Nodes{2});
  EXPECT_EQ(memory.write(0x100, 4, 1, 4), Nodes{3});  // the read of its last byte
}

TEST(MemoryDependences, a_read_that_spans_pages) {
  Memory memory;
  memory.write(0xffe, 1, 1, 1);
  memory.write(0x1001, 1, 1, 2);
  EXPECT_EQ(memory.read(0xff0, 0x20, 2, 3), (Nodes{1, 2}));
}

TEST(MemoryDependences, a_thread_does_not_wait_for_itself) {
  Memory memory;
  memory.write(0x100, 8, 1, 1);
  memory.read(0x100, 8, 1, 2);
  EXPECT_EQ(memory.write(0x100, 8, 1, 3), Nodes{});
  EXPECT_EQ(memory.read(0x100, 8, 1, 4), Nodes{3});
}

TEST(MemoryDependences, of_a_thread_that_reads_again_the_last_time_counts) {
  Memory memory;
  memory.read(0x100, 8, 1, 1);
  memory.read(0x100, 8, 2, 2);
  memory.read(0x100, 8, 1, 3);
  EXPECT_EQ(memory.write(0x100, 8, 4, 4), (Nodes{2, 3}));
  EXPECT_EQ(memory.write(0x100, 8, 5, 5), Nodes{4});
}

}  // namespace
}  // namespace heddle::slice
