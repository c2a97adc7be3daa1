#include "graph/store/graph_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/store/graph_union.h"
#include "graph/test_graphs.h"

namespace heddle::graph {
namespace {

using ::testing::HasSubstr;

Graph random_graph(std::uint64_t seed, std::uint32_t edges, std::uint32_t sites) {
  Random random{seed};
  std::vector<RunEdge> made;
  for (std::uint32_t i = 0; i < edges; ++i) {
    const auto end = [&] {
      return std::pair(static_cast<std::uint32_t>(1 + random.below(sites)),
                       context_of({static_cast<graph_rules::Event>(1 + random.below(4)),
                                   static_cast<graph_rules::Event>(1 + random.below(4))}));
    };
    const auto [source, source_context] = end();
    const auto [sink, sink_context] = end();
    made.push_back(edge(source, source_context, sink, sink_context, 1 + random.below(9), i));
  }
  return test_graph(made, Label::Failing);
}

TEST(GraphFile, reads_what_was_written) {
  const Graph graph = random_graph(1, 500, 60);
  const Result<Graph> read = decode_graph(encode_graph(graph), "g");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, graph);
}

TEST(GraphFile, reads_back_a_union) {
  GraphUnion together(5);
  ASSERT_TRUE(together.add(random_graph(1, 50, 20), "a"));
  ASSERT_TRUE(together.add(random_graph(2, 50, 20), "b"));
  const Graph graph = together.finish();
  const Result<Graph> read = decode_graph(encode_graph(graph), "g");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, graph);
}

TEST(GraphFile, reads_an_empty_graph) {
  const Graph graph = test_graph({});
  const Result<Graph> read = decode_graph(encode_graph(graph), "g");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, graph);
}

TEST(GraphFile, refuses_a_file_that_is_cut_at_any_byte) {
  const std::string whole = encode_graph(random_graph(1, 100, 20));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<Graph> read = decode_graph(std::string_view(whole).substr(0, size), "g");
    ASSERT_FALSE(read) << size;
    EXPECT_THAT(read.error().message, HasSubstr(size < 8 ? "is not a graph" : "is damaged or cut short"));
  }
}

TEST(GraphFile, refuses_a_file_with_any_bit_flipped) {
  const std::string whole = encode_graph(random_graph(1, 100, 20));
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    ASSERT_FALSE(decode_graph(flipped, "g")) << bit;
  }
}

TEST(GraphFile, names_the_version_that_it_cannot_read) {
  std::string other = encode_graph(test_graph({}));
  other[8] = 9;
  const Result<Graph> read = decode_graph(other, "g");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("version 9"));
}

TEST(GraphFile, stores_200_000_edges_in_less_than_a_megabyte) {
  EXPECT_LT(encode_graph(random_graph(3, 200'000, 3000)).size(), 1u << 20);
}

}  // namespace
}  // namespace heddle::graph
