#include "graph/model/software_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/test_graphs.h"

namespace heddle::graph {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kX = 0x1000, kY = 0x1008;

std::vector<RunEdge> edges_of(const std::vector<trace::Event>& events,
                              const format::GraphConfig& config = test_config()) {
  SoftwareModel model(config);
  for (const trace::Event& event : events) model.add(event);
  std::vector<RunEdge> edges = model.edges();
  for (RunEdge& each : edges) each.order = 0;
  return edges;
}

TEST(SoftwareModel, a_read_of_another_threads_write_adds_an_edge_and_an_event_to_both_contexts) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(2, 20, kX, false));
  EXPECT_THAT(model.edges(), UnorderedElementsAre(edge(10, 0, 20, 0)));
  EXPECT_EQ(model.context_of(1), context_of({kRmRd}));
  EXPECT_EQ(model.context_of(2), context_of({kLcRd}));
}

TEST(SoftwareModel, a_repeated_read_adds_another_edge_and_another_event) {
  EXPECT_THAT(edges_of({access(1, 10, kX, true), access(2, 20, kX, false), access(2, 20, kX, false)}),
              UnorderedElementsAre(edge(10, 0, 20, 0), edge(10, 0, 20, context_of({kLcRd}))));
}

TEST(SoftwareModel, a_write_over_another_threads_write_adds_an_edge) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(2, 20, kX, true));
  model.add(access(2, 21, kX, false));  // its own write
  EXPECT_THAT(model.edges(), UnorderedElementsAre(edge(10, 0, 20, 0)));
  EXPECT_EQ(model.context_of(1), context_of({kRmWr}));
  EXPECT_EQ(model.context_of(2), context_of({kLcWr}));
}

TEST(SoftwareModel, a_thread_that_writes_again_replaces_its_own_write) {
  EXPECT_THAT(
      edges_of({access(1, 10, kX, true), access(2, 20, kX, false), access(1, 11, kX, true), access(2, 20, kX, false)}),
      UnorderedElementsAre(edge(10, 0, 20, 0), edge(11, context_of({kRmRd}), 20, context_of({kLcRd}))));
}

TEST(SoftwareModel, private_accesses_add_no_edges_and_no_events) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(1, 11, kX, false));
  model.add(access(2, 20, kY, false));
  EXPECT_THAT(model.edges(), IsEmpty());
  EXPECT_EQ(model.context_of(1), 0u);
  EXPECT_EQ(model.context_of(2), 0u);
}

TEST(SoftwareModel, a_context_holds_only_the_last_events) {
  SoftwareModel model(test_config(2));
  for (int i = 0; i < 3; ++i) {
    model.add(access(1, 10, kX, true));
    model.add(access(2, 20, kX, false));
  }
  // Writes of thread 1 to its own data add no events; its events are the two last reads by thread 2.
  EXPECT_EQ(model.context_of(1), context_of({kRmRd, kRmRd}));
  EXPECT_EQ(model.context_of(2), context_of({kLcRd, kLcRd}));
}

TEST(SoftwareModel, neighbouring_words_communicate_only_at_line_granularity) {
  const std::vector<trace::Event> events = {access(1, 10, kX, true), access(2, 20, kY, false)};
  EXPECT_THAT(edges_of(events, test_config(5, 3)), IsEmpty());
  EXPECT_THAT(edges_of(events, test_config(5, 6)), UnorderedElementsAre(edge(10, 0, 20, 0)));
}

TEST(SoftwareModel, four_byte_granules_distinguish_the_halves_of_a_word) {
  const std::vector<trace::Event> events = {access(1, 10, kX, true, 4), access(2, 20, kX + 4, false, 4)};
  EXPECT_THAT(edges_of(events, test_config(5, 2)), IsEmpty());
  EXPECT_THAT(edges_of(events, test_config(5, 3)), UnorderedElementsAre(edge(10, 0, 20, 0)));
}

TEST(SoftwareModel, a_range_access_adds_one_event_and_an_edge_from_each_writer) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(3, 30, kY, true));
  trace::Event range = access(2, 20, kX, false);
  range.kind = format::EventKind::RangeRead;
  range.value = 16;
  range.flags = format::kHasValue;
  model.add(range);
  EXPECT_THAT(model.edges(), UnorderedElementsAre(edge(10, 0, 20, 0), edge(30, 0, 20, 0, 1, 1)));
  EXPECT_EQ(model.context_of(2), context_of({kLcRd}));
  EXPECT_EQ(model.context_of(3), context_of({kRmRd}));
}

constexpr std::uint32_t call(std::uint32_t site) { return format::kFirstCallSite + site; }

TEST(SoftwareModel, creation_and_destruction_of_a_primitive_communicate_with_its_users) {
  using format::EventKind;
  SoftwareModel model(test_config());
  model.add(operation(1, 1, kX, EventKind::Init));
  model.add(operation(2, 2, kX, EventKind::Lock));
  model.add(operation(1, 3, kX, EventKind::Destroy));
  model.add(operation(2, 4, kX, EventKind::Unlock));
  EXPECT_THAT(model.edges(),
              UnorderedElementsAre(edge(call(1), 0, call(2), 0, 1, 0), edge(call(2), 0, call(3), 0, 1, 1),
                                   edge(call(3), 0, call(4), 0, 1, 2)));
  EXPECT_EQ(model.context_of(1), 0u);  // contexts are of data accesses only
  EXPECT_EQ(model.context_of(2), 0u);
}

TEST(SoftwareModel, users_of_a_primitive_do_not_communicate_with_each_other) {
  using format::EventKind;
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Lock), operation(1, 2, kX, EventKind::Unlock),
                        operation(2, 3, kX, EventKind::Lock)}),
              IsEmpty());
}

TEST(SoftwareModel, a_store_may_create_a_primitive) {
  EXPECT_THAT(edges_of({access(1, 1, kX, true), operation(2, 2, kX, format::EventKind::Lock)}),
              UnorderedElementsAre(edge(1, 0, call(2), 0)));
}

TEST(SoftwareModel, a_new_primitive_at_the_same_address_has_no_users) {
  using format::EventKind;
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Lock), operation(1, 2, kX, EventKind::Destroy),
                        operation(2, 3, kX, EventKind::Init)}),
              UnorderedElementsAre(edge(call(2), 0, call(3), 0)));
}

TEST(SoftwareModel, operations_without_a_site_or_a_lifetime_add_no_edges) {
  using format::EventKind;
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Fork), operation(2, 2, kX, EventKind::Join)}), IsEmpty());
  trace::Event nowhere = operation(2, 2, kX, EventKind::Lock);
  nowhere.site = 0;  // not called from code of the program
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Init), nowhere}), IsEmpty());
}

// Figure 2: thread 1 stores dynamicId (site 1), thread 2 loads it (site 2).
TEST(Figures, the_failing_run_of_figure_2_lacks_the_edge) {
  EXPECT_THAT(edges_of({access(1, 1, kX, true), access(2, 2, kX, false)}), UnorderedElementsAre(edge(1, 0, 2, 0)));
  EXPECT_THAT(edges_of({access(2, 2, kX, false), access(1, 1, kX, true)}), IsEmpty());
}

// Figure 3: thread 1 sets log_type to closed (1) and to open again (2), thread 2 reads it (3).
TEST(Figures, only_the_failing_run_of_figure_3_has_the_edge_from_the_first_write) {
  const auto config = test_config(0);
  EXPECT_THAT(edges_of({access(1, 1, kX, true), access(1, 2, kX, true), access(2, 3, kX, false)}, config),
              UnorderedElementsAre(edge(2, 0, 3, 0)));
  EXPECT_THAT(edges_of({access(1, 1, kX, true), access(2, 3, kX, false), access(1, 2, kX, true)}, config),
              UnorderedElementsAre(edge(1, 0, 3, 0)));
}

// Figures 4 and 5: thread 1 writes str (1) and len (2), thread 2 reads str (3) and len (4).
const std::vector<trace::Event> kWritten = {access(1, 1, kX, true), access(1, 2, kY, true)};
const std::vector<trace::Event> kReadAll = {access(2, 3, kX, false), access(2, 4, kY, false)};

std::vector<trace::Event> joined(std::initializer_list<std::vector<trace::Event>> parts) {
  std::vector<trace::Event> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Figures, passing_and_failing_runs_of_figure_4_have_the_same_edges_without_contexts) {
  const std::vector<trace::Event> good = joined({kWritten, kReadAll, kWritten, kReadAll});
  const std::vector<trace::Event> bad = joined({kWritten, kReadAll, {kWritten[0]}, kReadAll, {kWritten[1]}});
  const auto config = test_config(0);
  EXPECT_THAT(edges_of(good, config), UnorderedElementsAre(edge(1, 0, 3, 0, 2), edge(2, 0, 4, 0, 2)));
  EXPECT_THAT(edges_of(bad, config), UnorderedElementsAre(edge(1, 0, 3, 0, 2), edge(2, 0, 4, 0, 2)));
}

TEST(Figures, contexts_distinguish_the_runs_of_figure_5) {
  const auto config = test_config(5, 3, format::GraphEvents::Readers);
  const std::vector<trace::Event> good = joined({kWritten, kReadAll, kWritten, kReadAll});
  const std::vector<trace::Event> bad = joined({kWritten, kReadAll, {kWritten[0]}, kReadAll, {kWritten[1]}});
  const Context read_twice = context_of({kRmRd, kRmRd});
  const Context then_written =
      context_of({kRmRd, kRmRd, kLcWr});  // a write to its own data: LcWr, because events are of readers
  const Context readers = context_of({kLcRd, kLcRd, kRmWr, kRmWr});
  EXPECT_THAT(
      edges_of(good, config),
      UnorderedElementsAre(edge(1, 0, 3, 0), edge(2, 0, 4, context_of({kLcRd})), edge(1, read_twice, 3, readers),
                           edge(2, then_written, 4, context_of({kLcRd, kLcRd, kRmWr, kRmWr, kLcRd}))));
  EXPECT_THAT(edges_of(bad, config), UnorderedElementsAre(edge(1, 0, 3, 0), edge(2, 0, 4, context_of({kLcRd})),
                                                          edge(1, read_twice, 3, context_of({kLcRd, kLcRd, kRmWr})),
                                                          edge(2, 0, 4, context_of({kLcRd, kLcRd, kRmWr, kLcRd}))));
}

}  // namespace
}  // namespace heddle::graph
