#include "trace/text/diff.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/files.h"
#include "trace/random_trace.h"
#include "trace/text/summary.h"
#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

TraceReader reader_of(const Trace& trace) {
  const std::string path = testing::TempDir() + "heddle_diff_test_" + std::to_string(::getpid()) + ".htrace";
  EXPECT_TRUE(write_trace(path, trace).ok());
  Result<TraceReader> reader = TraceReader::open(make_memory_source(*read_file(path)), path);
  std::filesystem::remove(path);
  return std::move(*reader);
}

std::optional<TraceDifference> difference(const Trace& left, const Trace& right) {
  TraceReader left_reader = reader_of(left);
  TraceReader right_reader = reader_of(right);
  return find_first_difference(left_reader, right_reader, 3);
}

TEST(TraceDiff, equal_traces_do_not_differ) {
  const Trace trace = random_trace(1, 5000);
  EXPECT_FALSE(difference(trace, trace));
}

TEST(TraceDiff, finds_the_first_different_event_with_its_predecessors) {
  Random random(1);
  Trace left;
  left.events = random_events(random, 4000);
  Trace right = left;
  right.events[2500].object ^= 8;
  right.events[2600].object ^= 8;
  const std::optional<TraceDifference> found = difference(left, right);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 2500u);
  EXPECT_EQ(*found->left, left.events[2500]);
  EXPECT_EQ(*found->right, right.events[2500]);
  EXPECT_EQ(found->before, std::vector<Event>(left.events.begin() + 2497, left.events.begin() + 2500));
  ASSERT_FALSE(found->fields.empty());
}

TEST(TraceDiff, a_trace_that_ends_early_differs_there) {
  Random random(1);
  Trace left;
  left.events = random_events(random, 10);
  Trace right = left;
  right.events.pop_back();
  const std::optional<TraceDifference> found = difference(left, right);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 9u);
  EXPECT_TRUE(found->left);
  EXPECT_FALSE(found->right);
}

TEST(TraceDiff, sites_are_compared_by_name) {
  const Trace left = *parse_trace_text(
      "htrace text 1\nsite 1 kind=1 size=4 line=1 column=1 function_line=1 file=\"a\" "
      "function=\"f\" chain=\"\" "
      "name=\"one\"\n0 t0 read 0x10 site=1\n");
  Trace right = *parse_trace_text(
      "htrace text 1\nsite 7 kind=1 size=4 line=2 column=1 function_line=2 file=\"a\" "
      "function=\"f\" chain=\"\" "
      "name=\"one\"\n0 t0 read 0x10 site=7\n");
  EXPECT_FALSE(difference(left, right));
  right.tables.sites[SiteId{7}].name = "other";
  const std::optional<TraceDifference> found = difference(left, right);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fields, std::vector<std::string>{"site"});
}

TEST(TraceDiff, blocks_are_compared_by_number) {
  const Trace left = *parse_trace_text("htrace text 1\n0 t0 branch 0x10 site=1 value=0x7000\n");
  const Trace right = *parse_trace_text("htrace text 1\n0 t0 branch 0x10 site=2 value=0x7000\n");
  EXPECT_FALSE(difference(left, left));
  const std::optional<TraceDifference> found = difference(left, right);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fields, std::vector<std::string>{"site"});
}

TEST(TraceSummary, blocks_have_no_sites_and_no_values) {
  TraceReader reader =
      reader_of(*parse_trace_text("htrace text 1\n0 t0 branch 0x10 site=9 value=0x7000\n1 t0 read 0x10 site=3\n"));
  const TraceSummary summary = summarize(reader);
  EXPECT_EQ(summary.events, 2u);
  EXPECT_EQ(summary.sites_seen, 1u);
  EXPECT_EQ(summary.values, 0u);
}

TEST(TraceSummary, counts_events_sites_and_values) {
  const Trace trace = *parse_trace_text(
      "htrace text 1\nthread 1 parent=0 ordinal=1\n0 t0 read 0x10 size=4 site=3\n1 t0 write 0x10 "
      "size=4 site=4 value=0x1\n"
      "2 t0 switch t1 points=2 check=0x0 preemption\n3 t1 read 0x10 size=4 site=3\n");
  TraceReader reader = reader_of(trace);
  const TraceSummary summary = summarize(reader);
  EXPECT_EQ(summary.events, 4u);
  EXPECT_EQ(summary.steps, 4u);
  EXPECT_EQ(summary.events_by_kind.at(format::EventKind::Read), 2u);
  EXPECT_EQ(summary.events_by_thread.at(kMainThread), 3u);
  EXPECT_EQ(summary.events_by_thread.at(ThreadId{1}), 1u);
  EXPECT_EQ(summary.switches, 1u);
  EXPECT_EQ(summary.preemptions, 1u);
  EXPECT_EQ(summary.sites_seen, 2u);
  EXPECT_EQ(summary.values, 1u);
  EXPECT_TRUE(summary.problems.empty());
}

}  // namespace
}  // namespace heddle::trace
