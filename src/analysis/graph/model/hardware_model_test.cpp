#include "graph/model/hardware_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/test_graphs.h"

namespace heddle::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kMemory = 0;

HardwareConfig machine() {
  HardwareConfig config;
  config.cores = 4;
  return config;
}

TEST(HardwareModel, a_read_from_memory_adds_an_edge_from_memory_but_no_event) {
  HardwareModel model(machine());
  model.access(0, 7, 1, false);
  model.access(0, 8, 1, false);  // a hit
  EXPECT_THAT(model.edges(), ElementsAre(edge(kMemory, 0, 7, 0)));
  EXPECT_EQ(model.context_of(0), 0u);
  EXPECT_EQ(model.counters().read_misses, 1u);
}

TEST(HardwareModel, a_read_served_by_a_cache_adds_an_edge_from_the_writer) {
  HardwareModel model(machine());
  model.access(0, 10, 1, true);
  model.access(1, 20, 1, false);
  EXPECT_THAT(model.edges(), ElementsAre(edge(10, 0, 20, 0)));
  EXPECT_EQ(model.context_of(0), context_of({kLcWr, kRmRd}));
  EXPECT_EQ(model.context_of(1), context_of({kLcRd}));
}

TEST(HardwareModel, a_reader_passes_on_the_metadata_of_the_writer) {
  HardwareModel model(machine());
  model.access(0, 10, 1, true);
  model.access(1, 20, 1, false);
  model.access(2, 30, 1, false);
  EXPECT_THAT(model.edges(), ElementsAre(edge(10, 0, 20, 0), edge(10, 0, 30, 0, 1, 1)));
}

TEST(HardwareModel, a_write_to_a_shared_line_invalidates_the_copies_and_adds_one_edge) {
  HardwareModel model(machine());
  model.access(0, 10, 1, true);
  model.access(1, 20, 1, false);
  model.access(1, 21, 1, true);  // an upgrade
  EXPECT_THAT(model.edges(), ElementsAre(edge(10, 0, 20, 0), edge(10, 0, 21, context_of({kLcRd}), 1, 1)));
  EXPECT_EQ(model.context_of(0), context_of({kLcWr, kRmRd, kRmWr}));
  EXPECT_EQ(model.counters().coherence_misses, 1u);
  EXPECT_EQ(model.counters().write_misses, 1u);
}

TEST(HardwareModel, a_write_to_a_modified_line_leaves_the_first_writer_as_the_source) {
  HardwareModel model(machine());
  model.access(0, 10, 1, true);
  model.access(0, 11, 1, true);  // a hit: no bus transaction
  model.access(1, 20, 1, false);
  EXPECT_THAT(model.edges(), ElementsAre(edge(10, 0, 20, 0)));
}

TEST(HardwareModel, a_write_to_an_exclusive_line_leaves_no_metadata) {
  HardwareModel model(machine());
  model.access(0, 10, 1, false);
  model.access(0, 11, 1, true);
  model.access(1, 20, 1, false);
  EXPECT_THAT(model.edges(), ElementsAre(edge(kMemory, 0, 10, 0)));
}

TEST(HardwareModel, an_evicted_line_loses_its_metadata) {
  HardwareModel model(machine());
  model.access(0, 10, 0, true);
  for (std::uint64_t i = 1; i <= 8; ++i) model.access(0, 11, 64 * i, true);  // the same set
  model.access(1, 20, 0, false);
  EXPECT_THAT(model.edges(), ElementsAre(edge(kMemory, 0, 20, 0)));
}

TEST(HardwareModel, metadata_is_written_at_every_miss) {
  HardwareModel model(machine());
  Random random{1};
  for (std::uint64_t i = 0; i < 5000; ++i)
    model.access(static_cast<std::uint32_t>(random.below(4)), 1, random.below(900), random.below(5) == 0);
  const HardwareCounters& counted = model.counters();
  EXPECT_EQ(counted.metadata_writes, counted.read_misses + counted.write_misses + counted.coherence_misses);
  EXPECT_EQ(counted.operations, 5000u);
  EXPECT_GT(counted.coherence_misses, 0u);
}

TEST(HardwareModel, a_full_table_traps_and_loses_the_edges_of_that_time) {
  HardwareConfig config = machine();
  config.table_entries = 4;
  config.trap_operations = 3;
  HardwareModel model(config);
  for (std::uint32_t i = 0; i < 8; ++i) model.access(0, 100 + i, i, false);
  EXPECT_EQ(model.counters().traps, 1u);
  EXPECT_EQ(model.counters().discarded, 2u);
  EXPECT_EQ(model.edges().size(), 6u);
}

}  // namespace
}  // namespace heddle::graph
