#include <gtest/gtest.h>

#include "predict/trace_for_tests.h"

namespace heddle::predict {
namespace {

TEST(Model, private_memory_and_read_only_memory_have_no_nodes) {
  const Model model = model_of(text_trace(
      {"t0 fork t1", "t0 write 0x50 size=4", "t1 write 0x60 size=4", "t0 read 0x70 size=4", "t1 read 0x70 size=4"}));
  EXPECT_EQ(model.nodes.size(), 1u);
  EXPECT_EQ(model.event_count, 5u);
}

TEST(Model, neighbouring_fields_are_different_locations) {
  const Model model = model_of(text_trace({"t0 fork t1", "t0 write 0x50 size=4", "t1 write 0x54 size=4"}));
  ASSERT_EQ(model.locations.size(), 2u);
  EXPECT_EQ(model.locations[0].size(), 1u);
  EXPECT_EQ(model.locations[1].size(), 1u);
}

TEST(Model, a_wide_access_touches_every_location_it_covers) {
  const Model model = model_of(
      text_trace({"t0 fork t1", "t0 range_write 0x50 value=0x10", "t1 read 0x50 size=4", "t1 read 0x5c size=4"}));
  // 50-54, 54-58, 58-5c, 5c-60: the range touches all four, each read one.
  EXPECT_EQ(model.nodes.size(), 7u);
  EXPECT_EQ(model.node(node_at(model, 2)).link, node_at(model, 1));
  EXPECT_EQ(model.node(node_at(model, 3)).link, node_at(model, 1) + 3);
}

TEST(Model, an_allocation_begins_new_locations) {
  const Model model =
      model_of(text_trace({"t0 fork t1", "t0 alloc 0x50 value=0x8", "t0 write 0x50 size=8", "t1 read 0x50 size=8",
                           "t1 free 0x50", "t1 alloc 0x50 value=0x8", "t1 write 0x50 size=8", "t0 read 0x50 size=8"}));
  ASSERT_EQ(model.locations.size(), 2u);
  EXPECT_EQ(model.locations[0].size(), 3u);  // with the free
  EXPECT_EQ(model.node(node_at(model, 7)).link, node_at(model, 6));
}

TEST(Model, locksets_have_modes_but_no_recursion) {
  const Model model = model_of(text_trace(
      {"t0 fork t1", "t0 lock 0x10", "t0 lock 0x10", "t0 unlock 0x10", "t0 write 0x50 size=4", "t0 unlock 0x10",
       "t1 read_lock 0x18", "t1 write 0x50 size=4", "t1 read_unlock 0x18", "t0 read_lock 0x18", "t0 write 0x50 size=4",
       "t0 read_unlock 0x18", "t0 lock 0x18", "t0 write 0x50 size=4", "t0 unlock 0x18"}));
  EXPECT_EQ(node_at(model, 2), kNoNode);
  EXPECT_EQ(node_at(model, 3), kNoNode);
  const auto locks = [&](std::uint32_t step) { return model.node(node_at(model, step)).locks; };
  EXPECT_EQ(model.lock_sets.holds(locks(4)).size(), 1u);
  EXPECT_FALSE(model.lock_sets.exclude(locks(4), locks(7)));
  EXPECT_FALSE(model.lock_sets.exclude(locks(7), locks(10)));
  EXPECT_TRUE(model.lock_sets.exclude(locks(7), locks(13)));
}

TEST(Model, forks_and_joins_order_threads) {
  const Model model = model_of(text_trace({"t0 write 0x50 size=4", "t0 fork t1", "t1 write 0x50 size=4",
                                           "t0 write 0x50 size=4", "t0 join t1", "t0 write 0x50 size=4"}));
  const auto at = [&](std::uint32_t step) { return node_at(model, step); };
  EXPECT_TRUE(model.ordered(at(0), at(2)));
  EXPECT_FALSE(model.ordered(at(2), at(3)));
  EXPECT_TRUE(model.ordered(at(2), at(5)));
  EXPECT_TRUE(model.ordered(at(0), at(5)));
}

// Expects that `sync` orders a write of thread 1 before a later write of thread 2, or does not.
void expect_order(const std::vector<std::string>& sync, bool ordered) {
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2", "t1 write 0x50 size=4"};
  events.insert(events.end(), sync.begin(), sync.end());
  events.push_back("t2 write 0x50 size=4");
  const Model model = model_of(text_trace(events));
  EXPECT_EQ(model.ordered(node_at(model, 2), node_at(model, static_cast<std::uint32_t>(events.size() - 1))), ordered)
      << sync[0];
}

TEST(Model, hand_overs_order_threads) {
  expect_order({"t2 wait 0x10", "t1 signal 0x10", "t2 woken 0x10 value=0x0"}, true);
  expect_order({"t2 wait 0x10", "t1 signal 0x10", "t2 woken 0x10 value=0x1"}, false);  // timed out
  expect_order({"t1 signal 0x10", "t2 wait 0x10", "t2 woken 0x10 value=0x2"}, false);
  expect_order({"t1 barrier_arrive 0x10", "t2 barrier_arrive 0x10", "t2 barrier_leave 0x10"}, true);
  expect_order({"t1 sem_post 0x10", "t2 sem_wait 0x10"}, true);
  expect_order({"t2 sem_wait 0x10", "t1 sem_post 0x10"}, false);
  expect_order({"t2 futex_wait 0x10", "t1 futex_wake 0x10 value=0x1"}, true);
  expect_order({"t1 futex_wake 0x10 value=0x1", "t2 futex_wait 0x10"}, false);
  expect_order({"t1 once_begin 0x10", "t1 once_end 0x10", "t2 once_seen 0x10"}, true);
  expect_order({"t1 lock 0x10", "t1 unlock 0x10", "t2 lock 0x10", "t2 unlock 0x10"}, false);
}

TEST(Model, a_barrier_orders_each_round_separately) {
  const Model model = model_of(
      text_trace({"t0 fork t1", "t0 fork t2", "t1 barrier_arrive 0x10", "t2 barrier_arrive 0x10",
                  "t2 barrier_leave 0x10", "t2 write 0x50 size=4", "t2 barrier_arrive 0x10", "t1 barrier_leave 0x10",
                  "t1 write 0x50 size=4", "t1 barrier_arrive 0x10", "t1 barrier_leave 0x10", "t1 write 0x50 size=4"}));
  EXPECT_FALSE(model.ordered(node_at(model, 5), node_at(model, 8)));
  EXPECT_TRUE(model.ordered(node_at(model, 5), node_at(model, 11)));
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> units_of(const Model& model, UnitKind kind, unsigned thread) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spans;  // steps
  for (const Unit& unit : model.units) {
    if (unit.kind != kind || unit.thread != thread) continue;
    spans.emplace_back(model.node(model.at(unit.thread, unit.first)).step,
                       model.node(model.at(unit.thread, unit.last)).step);
  }
  return spans;
}
using Spans = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(Units, finds_outermost_sections_stretches_and_regions) {
  const Model model = model_of(
      text_trace({"t0 fork t1", "t0 write 0x50 size=4", "t1 region_begin 0x1", "t1 lock 0x10", "t1 read 0x50 size=4",
                  "t1 lock 0x18", "t1 write 0x50 size=4", "t1 unlock 0x18", "t1 unlock 0x10", "t1 region_end 0x1",
                  "t1 signal 0x20", "t1 read 0x50 size=4", "t1 read 0x50 size=4"}));
  EXPECT_EQ(units_of(model, UnitKind::CriticalSection, 1), (Spans{{3, 8}}));
  EXPECT_EQ(units_of(model, UnitKind::Region, 1), (Spans{{3, 8}}));
  EXPECT_EQ(units_of(model, UnitKind::Stretch, 1), (Spans{{4, 10}, {11, 12}}));
}

TEST(Units, invocations_follow_functions_and_inline_chains) {
  trace::Trace trace =
      text_trace({"t0 fork t1", "t0 write 0x50 size=4 site=9", "t1 read 0x50 size=4 site=1", "t1 lock 0x10",
                  "t1 write 0x50 size=4 site=2", "t1 unlock 0x10", "t1 read 0x50 size=4 site=3",
                  "t1 read 0x50 size=4 site=1", "t1 write 0x50 size=4 site=2"});
  trace.tables.sites[SiteId{1}].function = "get";
  trace.tables.sites[SiteId{1}].chain = "a.cpp:20<a.cpp:40";
  trace.tables.sites[SiteId{2}].function = "set";
  trace.tables.sites[SiteId{2}].chain = "a.cpp:21<a.cpp:40";
  trace.tables.sites[SiteId{3}].function = "other";
  const Model model = model_of(trace);
  // The function inlined at a.cpp:40, which calls get and set, twice; and `other`, into which the second one may be
  // inlined.
  EXPECT_EQ(units_of(model, UnitKind::Function, 1), (Spans{{2, 4}, {6, 8}, {7, 8}}));
}

}  // namespace
}  // namespace heddle::predict
