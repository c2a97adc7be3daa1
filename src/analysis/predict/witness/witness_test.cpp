#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "predict/trace_for_tests.h"
#include "predict/witness/nested_schedule.h"

namespace heddle::predict {

std::vector<trace::StepIndex> expand(const Witness& witness, const std::vector<trace::Event>& trace) {
  std::vector<trace::StepIndex> steps;
  std::map<ThreadId, std::vector<trace::StepIndex>> rest;  // by thread, the next event last
  for (const trace::Event& event : trace) {
    if (event.step < witness.prefix_end)
      steps.push_back(event.step);
    else
      rest[event.thread].push_back(event.step);
  }
  for (auto& [thread, own] : rest) std::ranges::reverse(own);
  for (const WitnessRun& run : witness.runs) {
    std::vector<trace::StepIndex>& own = rest[run.thread];
    for (; !own.empty() && own.back() < run.end; own.pop_back()) steps.push_back(own.back());
  }
  if (witness.meeting) steps.insert(steps.end(), witness.anomaly.begin(), witness.anomaly.end());
  return steps;
}

namespace {

using Steps = std::vector<trace::StepIndex>;

Goal meeting(const Model& model, std::uint32_t a, std::uint32_t b) {
  return {Goal::Shape::Together, {node_at(model, a), node_at(model, b)}};
}

Goal in_order(const Model& model, const std::vector<std::uint32_t>& steps) {
  Goal goal{Goal::Shape::InOrder};
  for (std::uint8_t i = 0; i < steps.size(); ++i) {
    goal.events.push_back(node_at(model, steps[i]));
    if (i > 0) goal.before.emplace_back(static_cast<std::uint8_t>(i - 1), i);
  }
  return goal;
}

// Figure 1 of the paper, as <1,5,2,3,6,7>: T1: 1 local, 2 if (x), 3 if (y), 4 ERROR. T2: 5 x=1, 6 x=0, 7 y=1.
// Steps 0 and 1 fork the threads; the local statement 1 is a branch.
trace::Trace figure_1() {
  return text_trace({"t0 fork t1", "t0 fork t2", "t1 yield 0x0 site=1", "t2 write 0x50 size=4 site=5 value=0x1",
                     "t1 read 0x50 size=4 site=2 value=0x1", "t1 read 0x60 size=4 site=3 value=0x0",
                     "t2 write 0x50 size=4 site=6 value=0x0", "t2 write 0x60 size=4 site=7 value=0x1"});
}

TEST(Figure1, its_three_races_are_predicted_strictly) {
  const Predictions predictions = predict(model_of(figure_1()), {});
  std::vector<std::pair<unsigned, unsigned>> races;
  for (const Prediction& prediction : predictions.found) {
    if (prediction.kind != AnomalyKind::DataRace) continue;
    EXPECT_EQ(prediction.witness.strength, WitnessStrength::Strict);
    races.push_back(std::minmax(number(prediction.events[0].site), number(prediction.events[1].site)));
  }
  std::ranges::sort(races);
  EXPECT_EQ(races, (std::vector<std::pair<unsigned, unsigned>>{{2, 5}, {2, 6}, {3, 7}}));
}

TEST(Figure1, the_reverse_of_the_witness_leads_to_the_error) {
  const trace::Trace trace = figure_1();
  const Model model = model_of(trace);
  const std::optional<Witness> witness = WitnessFinder(model).find(meeting(model, 5, 7));
  ASSERT_TRUE(witness);
  // <1,5,2,6> and then 3 and 7 together; with 7 first, 3 reads y as set.
  EXPECT_EQ(expand(*witness, trace.events), (Steps{0, 1, 2, 3, 4, 6, 5, 7}));
}

// Figure 5: A: v1 lock L, v2, v3 access, v4 unlock L; B: v5, v6 lock L, v7 unlock L, v8 access.
trace::Trace figure_5(bool v2_before_v5) {
  const std::string v2 = v2_before_v5 ? "t1 sem_post 0x70" : "t1 yield 0x0";
  const std::string v5 = v2_before_v5 ? "t2 sem_wait 0x70" : "t2 yield 0x0";
  return text_trace({"t0 fork t1", "t0 fork t2", "t1 lock 0x40", v2, "t1 write 0x50 size=4 site=3", "t1 unlock 0x40",
                     v5, "t2 lock 0x40", "t2 unlock 0x40", "t2 write 0x50 size=4 site=8"});
}

TEST(Figure5, the_false_pair_has_no_witness_of_any_strength) {
  const Model model = model_of(figure_5(true));
  EXPECT_FALSE(WitnessFinder(model).find(meeting(model, 4, 9)));
}

TEST(Figure5, the_real_pair_has_the_schedule_of_the_paper) {
  const trace::Trace trace = figure_5(false);
  const Model model = model_of(trace);
  const std::optional<Witness> witness = WitnessFinder(model).find(meeting(model, 4, 9));
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->strength, WitnessStrength::Strict);
  EXPECT_EQ(expand(*witness, trace.events), (Steps{0, 1, 6, 7, 8, 2, 3, 4, 9}));
}

TEST(NestedSchedule, algorithm_4_moves_the_rest_of_the_unit_behind_the_other_access) {
  const Model model =
      model_of(std_trace("m|fork(a)|1\nm|fork(b)|2\na|acq(l)|3\na|r(x)|4\na|rel(l)|5\na|acq(l)|6\na|w(x)|7\na|rel(l)|"
                         "8\nb|acq(l)|9\nb|w(x)|10\n"
                         "b|rel(l)|11\n"));
  const Goal goal = in_order(model, {3, 9, 6});
  const std::optional<NestedSchedule> schedule = nested_schedule(model, goal);
  ASSERT_TRUE(schedule);
  // The section of b is still open when a resumes: the search closes it, Algorithm 4 alone does not.
  EXPECT_FALSE(is_possible(model, goal, WitnessStrength::Strict, schedule->start, schedule->order));
  const std::optional<Witness> witness = WitnessFinder(model).find(goal);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->strength, WitnessStrength::Strict);
  EXPECT_EQ(witness->anomaly, (Steps{3, 9, 6}));
}

TEST(NestedSchedule, algorithm_4_schedules_an_access_that_precedes_the_unit) {
  const Model model = model_of(std_trace("m|fork(a)|1\nm|fork(b)|2\nb|w(x)|3\na|w(x)|4\na|w(x)|5\n"));
  const Goal goal = in_order(model, {3, 2, 4});
  const std::optional<NestedSchedule> schedule = nested_schedule(model, goal);
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(is_possible(model, goal, WitnessStrength::Strict, schedule->start, schedule->order));
}

// T1 reads a flag that T2 has set. The write of T1 can come first only if that read may see another value.
std::vector<std::string> flag_trace(const std::string& value_read, const std::string& other_writer) {
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2"};
  if (!other_writer.empty()) events.push_back(other_writer);
  for (const char* event : {"t2 write 0x50 size=4 site=1 value=0x0", "t2 write 0x60 size=4 site=2 value=0x7"})
    events.push_back(event);
  events.push_back("t1 read 0x60 size=4 site=3 value=" + value_read);
  events.push_back("t1 write 0x50 size=4 site=4 value=0x2");
  return events;
}

TEST(WitnessStrength, a_read_that_must_see_a_later_write_needs_locks_only) {
  const Model model = model_of(text_trace(flag_trace("0x7", "")));
  const std::optional<Witness> witness = WitnessFinder(model).find(meeting(model, 2, 5));
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->strength, WitnessStrength::LocksOnly);
}

TEST(WitnessStrength, another_writer_of_the_same_value_may_replace_the_original) {
  const Model model = model_of(text_trace(flag_trace("0x7", "t0 write 0x60 size=4 site=9 value=0x7")));
  const std::optional<Witness> witness = WitnessFinder(model).find(meeting(model, 3, 6));
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->strength, WitnessStrength::SameValue);
}

TEST(WitnessStrength, a_read_without_a_later_branch_is_free) {
  std::vector<std::string> events = flag_trace("0x7", "");
  events.push_back("t2 branch 0x0");
  const Model free = model_of(text_trace(events));
  EXPECT_EQ(WitnessFinder(free).find(meeting(free, 2, 5))->strength, WitnessStrength::BranchFree);
  events.insert(events.begin() + 5, "t1 branch 0x0");
  const Model decided = model_of(text_trace(events));
  EXPECT_EQ(WitnessFinder(decided).find(meeting(decided, 2, 6))->strength, WitnessStrength::LocksOnly);
}

TEST(WitnessStrength, the_model_names_missing_data) {
  const Model model = model_of(std_trace("m|fork(a)|1\na|w(x)|2\nm|w(x)|3\n"));
  EXPECT_TRUE(model.gaps.no_branches);
  EXPECT_TRUE(model.gaps.no_values);
}

TEST(Witness, an_event_on_several_locations_is_atomic) {
  // One write covers 0x50..0x57, two reads cover its halves.
  const trace::Trace trace = text_trace({"t0 fork t1", "t0 fork t2", "t1 write 0x50 size=8 site=1",
                                         "t2 read 0x50 size=4 site=2", "t2 read 0x54 size=4 site=3"});
  const Model model = model_of(trace);
  EXPECT_EQ(model.nodes.size(), 6u);
  // The first read sees the write, so the second read cannot meet it.
  EXPECT_TRUE(WitnessFinder(model).find(meeting(model, 2, 3), WitnessStrength::Strict, WitnessStrength::Strict));
  const Goal second_half{Goal::Shape::Together, {node_at(model, 2) + 1, node_at(model, 4)}, {}, {}};
  EXPECT_FALSE(WitnessFinder(model).find(second_half, WitnessStrength::Strict, WitnessStrength::Strict));
}

}  // namespace
}  // namespace heddle::predict
