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

TEST(SoftwareModel, a_read_of_what_another_thread_wrote_is_an_edge_and_an_event_for_both) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(2, 20, kX, false));
  EXPECT_THAT(model.edges(), UnorderedElementsAre(edge(10, 0, 20, 0)));
  EXPECT_EQ(model.context_of(1), context_of({kRmRd}));
  EXPECT_EQ(model.context_of(2), context_of({kLcRd}));
}

TEST(SoftwareModel, repeating_it_makes_another_edge_and_another_event) {
  EXPECT_THAT(edges_of({access(1, 10, kX, true), access(2, 20, kX, false), access(2, 20, kX, false)}),
              UnorderedElementsAre(edge(10, 0, 20, 0), edge(10, 0, 20, context_of({kLcRd}))));
}

TEST(SoftwareModel, a_write_over_what_another_thread_wrote_is_an_edge) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(2, 20, kX, true));
  model.add(access(2, 21, kX, false));  // its own by now
  EXPECT_THAT(model.edges(), UnorderedElementsAre(edge(10, 0, 20, 0)));
  EXPECT_EQ(model.context_of(1), context_of({kRmWr}));
  EXPECT_EQ(model.context_of(2), context_of({kLcWr}));
}

TEST(SoftwareModel, the_last_writer_is_replaced_by_its_owner_too) {
  EXPECT_THAT(
      edges_of({access(1, 10, kX, true), access(2, 20, kX, false), access(1, 11, kX, true), access(2, 20, kX, false)}),
      UnorderedElementsAre(edge(10, 0, 20, 0), edge(11, context_of({kRmRd}), 20, context_of({kLcRd}))));
}

TEST(SoftwareModel, what_nobody_else_touched_is_nothing) {
  SoftwareModel model(test_config());
  model.add(access(1, 10, kX, true));
  model.add(access(1, 11, kX, false));
  model.add(access(2, 20, kY, false));
  EXPECT_THAT(model.edges(), IsEmpty());
  EXPECT_EQ(model.context_of(1), 0u);
  EXPECT_EQ(model.context_of(2), 0u);
}

TEST(SoftwareModel, a_context_is_the_last_events_and_no_more) {
  SoftwareModel model(test_config(2));
  for (int i = 0; i < 3; ++i) {
    model.add(access(1, 10, kX, true));
    model.add(access(2, 20, kX, false));
  }
  // The first two writes are RmRd and, because the data is thread 1's own again, nothing else.
  EXPECT_EQ(model.context_of(1), context_of({kRmRd, kRmRd}));
  EXPECT_EQ(model.context_of(2), context_of({kLcRd, kLcRd}));
}

TEST(SoftwareModel, words_are_apart_and_lines_are_not) {
  const std::vector<trace::Event> events = {access(1, 10, kX, true), access(2, 20, kY, false)};
  EXPECT_THAT(edges_of(events, test_config(5, 3)), IsEmpty());
  EXPECT_THAT(edges_of(events, test_config(5, 6)), UnorderedElementsAre(edge(10, 0, 20, 0)));
}

TEST(SoftwareModel, words_of_four_bytes_tell_halves_apart) {
  const std::vector<trace::Event> events = {access(1, 10, kX, true, 4), access(2, 20, kX + 4, false, 4)};
  EXPECT_THAT(edges_of(events, test_config(5, 2)), IsEmpty());
  EXPECT_THAT(edges_of(events, test_config(5, 3)), UnorderedElementsAre(edge(10, 0, 20, 0)));
}

TEST(SoftwareModel, an_access_to_many_words_is_one_event_and_an_edge_from_each_writer) {
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

TEST(SoftwareModel, a_primitive_is_made_and_destroyed_for_all_who_use_it) {
  using format::EventKind;
  SoftwareModel model(test_config());
  model.add(operation(1, 1, kX, EventKind::Init));
  model.add(operation(2, 2, kX, EventKind::Lock));
  model.add(operation(1, 3, kX, EventKind::Destroy));
  model.add(operation(2, 4, kX, EventKind::Unlock));
  EXPECT_THAT(model.edges(),
              UnorderedElementsAre(edge(call(1), 0, call(2), 0, 1, 0), edge(call(2), 0, call(3), 0, 1, 1),
                                   edge(call(3), 0, call(4), 0, 1, 2)));
  EXPECT_EQ(model.context_of(1), 0u);  // of data
  EXPECT_EQ(model.context_of(2), 0u);
}

TEST(SoftwareModel, those_who_use_it_have_nothing_to_say_to_each_other) {
  using format::EventKind;
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Lock), operation(1, 2, kX, EventKind::Unlock),
                        operation(2, 3, kX, EventKind::Lock)}),
              IsEmpty());
}

TEST(SoftwareModel, a_store_makes_a_primitive_too) {
  EXPECT_THAT(edges_of({access(1, 1, kX, true), operation(2, 2, kX, format::EventKind::Lock)}),
              UnorderedElementsAre(edge(1, 0, call(2), 0)));
}

TEST(SoftwareModel, the_next_primitive_in_the_same_place_has_not_been_used) {
  using format::EventKind;
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Lock), operation(1, 2, kX, EventKind::Destroy),
                        operation(2, 3, kX, EventKind::Init)}),
              UnorderedElementsAre(edge(call(2), 0, call(3), 0)));
}

TEST(SoftwareModel, what_has_no_place_or_no_life_is_no_end_of_an_edge) {
  using format::EventKind;
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Fork), operation(2, 2, kX, EventKind::Join)}), IsEmpty());
  trace::Event nowhere = operation(2, 2, kX, EventKind::Lock);
  nowhere.site = 0;  // called from no code of the program
  EXPECT_THAT(edges_of({operation(1, 1, kX, EventKind::Init), nowhere}), IsEmpty());
}

// Figure 2: thread 1 stores dynamicId (site 1), thread 2 loads it (site 2).
TEST(Figures, in_figure_2_the_bad_run_lacks_the_edge) {
  EXPECT_THAT(edges_of({access(1, 1, kX, true), access(2, 2, kX, false)}), UnorderedElementsAre(edge(1, 0, 2, 0)));
  EXPECT_THAT(edges_of({access(2, 2, kX, false), access(1, 1, kX, true)}), IsEmpty());
}

// Figure 3: thread 1 sets log_type to closed (1) and to open again (2), thread 2 reads it (3).
TEST(Figures, in_figure_3_only_the_bad_run_has_the_edge_from_the_first_write) {
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

TEST(Figures, in_figure_4_good_and_bad_runs_have_the_same_edges_without_context) {
  const std::vector<trace::Event> good = joined({kWritten, kReadAll, kWritten, kReadAll});
  const std::vector<trace::Event> bad = joined({kWritten, kReadAll, {kWritten[0]}, kReadAll, {kWritten[1]}});
  const auto config = test_config(0);
  EXPECT_THAT(edges_of(good, config), UnorderedElementsAre(edge(1, 0, 3, 0, 2), edge(2, 0, 4, 0, 2)));
  EXPECT_THAT(edges_of(bad, config), UnorderedElementsAre(edge(1, 0, 3, 0, 2), edge(2, 0, 4, 0, 2)));
}

TEST(Figures, in_figure_5_contexts_tell_them_apart) {
  const auto config = test_config(5, 3, format::GraphEvents::Readers);
  const std::vector<trace::Event> good = joined({kWritten, kReadAll, kWritten, kReadAll});
  const std::vector<trace::Event> bad = joined({kWritten, kReadAll, {kWritten[0]}, kReadAll, {kWritten[1]}});
  const Context read_twice = context_of({kRmRd, kRmRd});
  const Context then_written = context_of({kRmRd, kRmRd, kLcWr});  // thread 1 writes what it wrote itself: still LcWr
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
