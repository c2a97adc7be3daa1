#include "predict/search/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "predict/trace_for_tests.h"

namespace heddle::predict {
namespace {

std::string error_of(const std::string& text) {
  const Result<std::vector<AnomalyPattern>> parsed = parse_patterns(text, "p");
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(AnomalyPattern, numbers_threads_units_and_locations_by_appearance) {
  const Result<std::vector<AnomalyPattern>> parsed = parse_patterns(
      "# comment\npattern stale\n  a u r x   # first\n  b v w y\n! a u r y\n\npattern two\na u w x\nb v w x\n", "p");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 2u);
  const AnomalyPattern& stale = parsed->front();
  EXPECT_EQ(stale.name, "stale");
  EXPECT_EQ(stale.events,
            (std::vector<PatternEvent>{
                {0, 0, 0, Access::Read, false}, {1, 1, 1, Access::Write, false}, {0, 0, 1, Access::Read, true}}));
}

TEST(AnomalyPattern, an_error_names_line_and_column) {
  EXPECT_TRUE(error_of("").starts_with("p:1:1: "));
  EXPECT_TRUE(error_of("  a u r x\n").starts_with("p:1:3: "));
  EXPECT_TRUE(error_of("pattern\n").starts_with("p:1:8: "));
  EXPECT_TRUE(error_of("pattern 7up\n").starts_with("p:1:9: "));
  EXPECT_TRUE(error_of("pattern a\na u r\n").starts_with("p:2:6: "));
  EXPECT_TRUE(error_of("pattern a\na u r x y\n").starts_with("p:2:9: "));
  EXPECT_TRUE(error_of("pattern a\na u  q x\n").starts_with("p:2:6: "));
  EXPECT_TRUE(error_of("pattern a\n! a u r x\n").starts_with("p:2:1: "));
  EXPECT_TRUE(error_of("pattern a\na u r x\nb u w x\n").starts_with("p:3:3: "));
  EXPECT_TRUE(error_of("pattern a\na u r x\n!a u w x\n").starts_with("p:3:2: "));
  EXPECT_TRUE(error_of("pattern a\na u r x\na u w x\n").starts_with("p:1:9: "));
  EXPECT_TRUE(error_of("pattern a\na u r x\nb v w x\npattern a\n").starts_with("p:4:9: "));
}

TEST(AnomalyPattern, builtin_patterns_are_races_and_triples) {
  EXPECT_EQ(std::ranges::count_if(builtin_patterns(), &AnomalyPattern::is_race), 3);
  EXPECT_EQ(std::ranges::count_if(builtin_patterns(), &AnomalyPattern::is_triple), 5);
  EXPECT_EQ(builtin_patterns().size(), 8u);
}

TEST(AnomalyPattern, finds_a_pattern_of_three_threads_and_two_locations) {
  // c checks that x and y agree, while a and b each update one of them.
  const trace::Trace trace =
      text_trace({"t0 fork t1", "t0 fork t2", "t0 fork t3", "t1 write 0x50 size=4 site=1",
                  "t1 write 0x60 size=4 site=2", "t2 write 0x50 size=4 site=3", "t2 write 0x60 size=4 site=4",
                  "t3 read 0x50 size=4 site=5", "t3 read 0x60 size=4 site=6"});
  PredictOptions options;
  options.patterns = *parse_patterns("pattern torn\n  c r r x\n  a u w x\n  b v w y\n  c r r y\n", "p");
  options.weakest = WitnessStrength::Strict;
  const Predictions predictions = predict(model_of(trace), options);
  const auto torn = std::ranges::find(predictions.found, "torn", &Prediction::pattern);
  ASSERT_NE(torn, predictions.found.end());
  std::vector<unsigned> lines;
  for (const AnomalyEvent& event : torn->events) lines.push_back(number(event.site));
  EXPECT_TRUE(lines == (std::vector<unsigned>{5, 1, 4, 6}) || lines == (std::vector<unsigned>{5, 3, 2, 6}));
}

TEST(AnomalyPattern, adjacent_events_have_no_event_between_them) {
  const trace::Trace trace =
      text_trace({"t0 fork t1", "t0 fork t2", "t1 write 0x50 size=4 site=1", "t1 write 0x60 size=4 site=2",
                  "t2 read 0x50 size=4 site=3", "t2 read 0x60 size=4 site=4"});
  PredictOptions options;
  options.patterns = *parse_patterns("pattern near\n  a u w x\n! b v r y\n  a u w y\n", "p");
  const Model model = model_of(trace);
  const Predictions predictions = predict(model, options);
  const auto near = std::ranges::find(predictions.found, "near", &Prediction::pattern);
  ASSERT_NE(near, predictions.found.end());
  const std::vector<trace::StepIndex> steps = expand(near->witness, trace.events);
  const auto first = std::ranges::find(steps, near->events[0].step);
  ASSERT_LT(first + 1, steps.end());
  EXPECT_EQ(*(first + 1), near->events[1].step);
}

}  // namespace
}  // namespace heddle::predict
