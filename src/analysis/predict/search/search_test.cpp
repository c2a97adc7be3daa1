// The candidates of the searches, and their labels.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "predict/search/searches.h"
#include "predict/trace_for_tests.h"

namespace heddle::predict {
namespace {

std::vector<const Prediction*> of_kind(const Predictions& predictions, AnomalyKind kind) {
  std::vector<const Prediction*> found;
  for (const Prediction& prediction : predictions.found) {
    if (prediction.kind == kind) found.push_back(&prediction);
  }
  return found;
}

void find_races_of(const Model& model, CandidateSet& candidates) {
  find_races(model, builtin_patterns(), Contention(model), candidates);
}

TEST(Races, a_common_lock_or_the_partial_order_excludes_a_pair) {
  CandidateSet candidates;
  find_races_of(model_of(text_trace({"t0 write 0x50 size=4 site=1", "t0 fork t1", "t0 fork t2", "t1 lock 0x10",
                                     "t1 write 0x50 size=4 site=2", "t1 unlock 0x10", "t2 lock 0x10",
                                     "t2 write 0x50 size=4 site=3", "t2 unlock 0x10"})),
                candidates);
  EXPECT_TRUE(candidates.all().empty());
}

TEST(Races, a_pair_of_lines_is_one_candidate_with_a_few_instances) {
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2"};
  for (int i = 0; i < 100; ++i) {
    events.push_back("t1 write 0x50 size=4 site=1");
    events.push_back("t2 write 0x50 size=4 site=2");
  }
  CandidateSet candidates;
  find_races_of(model_of(text_trace(events)), candidates);
  ASSERT_EQ(candidates.all().size(), 1u);
  EXPECT_EQ(candidates.all()[0].instances.size(), CandidateLimits{}.instances_max);
}

TEST(Races, atomics_race_with_plain_accesses_and_when_relaxed) {
  const auto sorts = [](const char* first, const char* second, std::uint8_t order) {
    trace::Trace trace = text_trace({"t0 fork t1", "t0 fork t2", std::string("t1 ") + first + " 0x50 size=4 site=1",
                                     std::string("t2 ") + second + " 0x50 size=4 site=2"});
    trace.tables.sites[SiteId{2}].kind = static_cast<std::uint8_t>(4 | order << 4);
    CandidateSet candidates;
    find_races_of(model_of(trace), candidates);
    std::vector<RaceKind> found;
    for (const AnomalyCandidate& candidate : candidates.all()) found.push_back(candidate.race);
    return found;
  };
  EXPECT_EQ(sorts("write", "atomic_write", 5), std::vector{RaceKind::Mismatched});
  EXPECT_EQ(sorts("atomic_write", "atomic_write", 5), std::vector<RaceKind>{});
  EXPECT_EQ(sorts("atomic_write", "atomic_write", 1), std::vector{RaceKind::Relaxed});
}

TEST(Races, a_free_may_overtake_an_access) {
  const Predictions predictions = predict(model_of(text_trace({"t0 alloc 0x50 value=0x8", "t0 fork t1", "t0 fork t2",
                                                               "t1 read 0x50 size=8 site=1", "t2 free 0x50"})),
                                          {});
  ASSERT_EQ(predictions.found.size(), 1u);
  EXPECT_EQ(predictions.found[0].kind, AnomalyKind::UseAfterFree);
  EXPECT_EQ(predictions.found[0].events[0].kind, NodeKind::Free);
}

// One unit with two accesses to a location, and one access of another thread.
std::string triple_found(const std::string& first, const std::string& other, const std::string& second) {
  const Predictions predictions =
      predict(model_of(text_trace({"t0 fork t1", "t0 fork t2", "t1 " + first + " 0x50 size=4 site=1",
                                   "t1 " + second + " 0x50 size=4 site=2", "t2 " + other + " 0x50 size=4 site=3"})),
              {});
  const auto found = of_kind(predictions, AnomalyKind::Atomicity);
  return found.empty() ? "" : found[0]->pattern;
}

TEST(Triples, finds_exactly_the_unserialisable_ones) {
  EXPECT_EQ(triple_found("read", "write", "read"), "R-W-R");
  EXPECT_EQ(triple_found("read", "write", "write"), "R-W-W");
  EXPECT_EQ(triple_found("write", "read", "write"), "W-R-W");
  EXPECT_EQ(triple_found("write", "write", "read"), "W-W-R");
  EXPECT_EQ(triple_found("write", "write", "write"), "W-W-W");
  EXPECT_EQ(triple_found("read", "read", "write"), "");
  EXPECT_EQ(triple_found("write", "read", "read"), "");
}

TEST(Triples, a_lock_around_the_whole_unit_protects_it_but_two_sections_do_not) {
  const auto count = [](bool one_section) {
    std::vector<std::string> events{"t0 fork t1", "t0 fork t2", "t1 lock 0x10", "t1 read 0x50 size=4 site=1"};
    if (!one_section) events.insert(events.end(), {"t1 unlock 0x10", "t1 lock 0x10"});
    events.insert(events.end(), {"t1 write 0x50 size=4 site=2", "t1 unlock 0x10", "t2 lock 0x10",
                                 "t2 write 0x50 size=4 site=3", "t2 unlock 0x10"});
    const Predictions predictions = predict(model_of(text_trace(events)), {});
    return predictions.candidates[static_cast<unsigned>(AnomalyKind::Atomicity)];
  };
  EXPECT_EQ(count(true), 0u);
  EXPECT_EQ(count(false), 1u);
}

TEST(Triples, finds_a_lost_update_between_two_sections_from_a_serial_run) {
  // Each thread reads and writes, one after the other: the second must be free to read another value.
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2"};
  for (const char* thread : {"t1", "t2"}) {
    for (const char* access : {" read 0x50 size=4 site=1", " write 0x50 size=4 site=2"}) {
      events.push_back(std::string(thread) + " lock 0x10");
      events.push_back(thread + std::string(access));
      events.push_back(std::string(thread) + " unlock 0x10");
    }
  }
  const Predictions predictions = predict(model_of(text_trace(events)), {});
  const auto found = of_kind(predictions, AnomalyKind::Atomicity);
  const auto lost =
      std::ranges::find_if(found, [](const Prediction* prediction) { return prediction->pattern == "R-W-W"; });
  ASSERT_NE(lost, found.end());
  EXPECT_EQ((*lost)->witness.strength, WitnessStrength::LocksOnly);
  EXPECT_EQ((*lost)->unit, UnitKind::Stretch);
}

TEST(Triples, a_thread_created_and_joined_within_the_unit_breaks_nothing) {
  const Predictions predictions = predict(
      model_of(text_trace({"t0 region_begin 0x1", "t0 write 0x50 size=4 site=1", "t0 write 0x60 size=4 site=2",
                           "t0 fork t1", "t1 write 0x50 size=4 site=3", "t1 write 0x60 size=4 site=4", "t0 join t1",
                           "t0 read 0x50 size=4 site=5", "t0 read 0x60 size=4 site=6", "t0 region_end 0x1"})),
      {});
  EXPECT_TRUE(predictions.found.empty());
}

TEST(AtomicSets, published_orders_have_their_names) {
  const auto label = [](const std::string& shape) {
    std::array<UnitEvent, 4> order;
    for (std::size_t i = 0; i < 4; ++i) {
      order[i] = {shape[3 * i + 1] == 'v', shape[3 * i + 2] == '2', shape[3 * i] == 'R' ? Access::Read : Access::Write};
    }
    return atomic_set_label(order);
  };
  EXPECT_EQ(label("Wu1Wv1Wv2Wu2"), "6");
  EXPECT_EQ(label("Wu1Wv2Wu2Wv1"), "7");
  EXPECT_EQ(label("Wu1Rv1Rv2Wu2"), "8");
  EXPECT_EQ(label("Wu1Rv2Wu2Rv1"), "9");
  EXPECT_EQ(label("Ru1Wv1Wv2Ru2"), "10");
  EXPECT_EQ(label("Ru1Wv2Ru2Wv1"), "11");
  EXPECT_EQ(label("Wu1Wv2Wv1Wu2"), "12");
  EXPECT_EQ(label("Wu1Rv2Rv1Wu2"), "13");
  EXPECT_EQ(label("Ru1Wv2Wv1Ru2"), "14");
  EXPECT_EQ(label("Wv2Wu2Wu1Wv1"), "6");
  EXPECT_EQ(label("Wu1Rv1Wv2Ru2"), "other");
}

// The unit u touches location 1, then 2; v touches them in either order. No locks; serial in the trace.
std::set<std::string> labels(const std::string& u, const std::string& v, bool v_reversed) {
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2", "t1 " + u + " 0x50 size=4 site=1",
                                  "t1 " + u + " 0x60 size=4 site=2"};
  const std::string first = v_reversed ? "0x60" : "0x50", second = v_reversed ? "0x50" : "0x60";
  events.push_back("t2 " + v + " " + first + " size=4 site=3");
  events.push_back("t2 " + v + " " + second + " size=4 site=4");
  std::set<std::string> found;
  const Predictions predictions = predict(model_of(text_trace(events)), {});
  for (const Prediction* prediction : of_kind(predictions, AnomalyKind::MultiVariable))
    found.insert(prediction->pattern);
  return found;
}

TEST(AtomicSets, finds_and_names_two_opposing_conflicts) {
  EXPECT_EQ(labels("write", "write", false), std::set<std::string>{"6"});
  EXPECT_EQ(labels("write", "read", false), (std::set<std::string>{"8", "10"}));
  EXPECT_EQ(labels("read", "read", false), std::set<std::string>{});
  for (const std::string& label : labels("write", "write", true)) EXPECT_TRUE(label == "7" || label == "12") << label;
  EXPECT_FALSE(labels("write", "write", true).empty());
}

TEST(AtomicSets, distinguishes_all_lines_that_read_a_location) {
  // The first unit reads 0x50 at three lines; the middle one is neither its first nor its last read.
  const Model model =
      model_of(text_trace({"t0 fork t1", "t0 fork t2", "t1 read 0x50 size=4 site=1", "t1 read 0x50 size=4 site=2",
                           "t1 read 0x50 size=4 site=3", "t1 read 0x60 size=4 site=4", "t2 write 0x50 size=4 site=5",
                           "t2 write 0x60 size=4 site=6"}));
  std::set<std::uint32_t> first;  // line of each violation's first event: a read of 0x50, or the other unit's write
  const Predictions predictions = predict(model, {});
  for (const Prediction* prediction : of_kind(predictions, AnomalyKind::MultiVariable))
    first.insert(model.tables.find_site(prediction->events.front().site)->line);
  EXPECT_EQ(first, (std::set<std::uint32_t>{1, 2, 3, 5}));
}

TEST(AtomicSets, finds_string_and_length_torn_between_two_sections) {
  // Length and contents are each consistent under the lock, but are read in two sections.
  const Predictions predictions = predict(
      model_of(text_trace({"t0 fork t1", "t0 fork t2", "t1 lock 0x10", "t1 read 0x50 size=4 site=1", "t1 unlock 0x10",
                           "t1 lock 0x10", "t1 read 0x60 size=4 site=2", "t1 unlock 0x10", "t2 lock 0x10",
                           "t2 write 0x50 size=4 site=3", "t2 write 0x60 size=4 site=4", "t2 unlock 0x10"})),
      {});
  const auto found = of_kind(predictions, AnomalyKind::MultiVariable);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->pattern, "10");
  EXPECT_EQ(found[0]->witness.strength, WitnessStrength::Strict);
}

TEST(Units, searches_only_the_selected_kinds) {
  const trace::Trace trace = text_trace({"t0 fork t1", "t0 fork t2", "t1 read 0x50 size=4 site=1",
                                         "t1 read 0x50 size=4 site=2", "t2 write 0x50 size=4 site=3"});
  PredictOptions options;
  options.unit_kinds = 1u << static_cast<unsigned>(UnitKind::CriticalSection);
  EXPECT_EQ(predict(model_of(trace), options).candidates[static_cast<unsigned>(AnomalyKind::Atomicity)], 0u);
  options.unit_kinds = 1u << static_cast<unsigned>(UnitKind::Stretch);
  EXPECT_EQ(predict(model_of(trace), options).candidates[static_cast<unsigned>(AnomalyKind::Atomicity)], 1u);
}

// Under one lock: t1 writes, t2 reads it, t3 writes again.
const std::vector<std::string> kSections{"t0 fork t1",
                                         "t0 fork t2",
                                         "t0 fork t3",
                                         "t1 lock 0x10",
                                         "t1 write 0x50 size=4 site=1 value=0x1",
                                         "t1 unlock 0x10",
                                         "t2 lock 0x10",
                                         "t2 read 0x50 size=4 site=2 value=0x1",
                                         "t2 unlock 0x10",
                                         "t3 lock 0x10",
                                         "t3 write 0x50 size=4 site=3 value=0x2",
                                         "t3 unlock 0x10"};

std::set<std::string> flipped_lines(const std::vector<std::string>& events) {
  const Model model = model_of(text_trace(events));
  std::set<std::string> lines;
  for (const Prediction& prediction : predict_orders(model, {}).found) {
    EXPECT_EQ(prediction.kind, AnomalyKind::Order);
    std::string text;
    for (const AnomalyEvent& event : prediction.events)
      text += std::to_string(model.tables.find_site(event.site)->line);
    lines.insert(text);
  }
  return lines;
}

bool is_contended(const std::vector<std::string>& events) {
  const Model model = model_of(text_trace(events));
  return Contention(model).has(model.node(model.locations[0].front()).object);
}

TEST(Contention, memory_handed_over_and_back_is_not_contended) {
  EXPECT_FALSE(is_contended({"t0 write 0x50 size=4 site=1", "t0 fork t1", "t0 fork t2", "t1 read 0x50 size=4 site=2",
                             "t2 read 0x50 size=4 site=2", "t0 join t1", "t0 join t2", "t0 write 0x50 size=4 site=3"}));
}

TEST(Contention, an_unordered_write_and_access_are_contended_in_either_order) {
  EXPECT_TRUE(is_contended({"t0 write 0x50 size=4 site=1", "t0 fork t1", "t1 read 0x50 size=4 site=2",
                            "t0 write 0x50 size=4 site=3", "t0 join t1"}));
  EXPECT_TRUE(is_contended({"t0 write 0x50 size=4 site=1", "t0 fork t1", "t0 write 0x50 size=4 site=3",
                            "t1 read 0x50 size=4 site=2", "t0 join t1"}));
  // Locks do not fix an order.
  EXPECT_TRUE(is_contended(kSections));
}

TEST(Orders, conflicting_sections_can_change_places) {
  EXPECT_EQ(flipped_lines(kSections), (std::set<std::string>{"21", "32", "31"}));
}

TEST(Orders, ordered_accesses_keep_their_order) {
  EXPECT_TRUE(flipped_lines({"t0 write 0x50 size=4 site=1", "t0 fork t1", "t1 read 0x50 size=4 site=2"}).empty());
}

TEST(Predictor, schedules_other_instances_of_the_same_lines_on_demand) {
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2"};
  for (int i = 0; i < 100; ++i) {
    events.push_back("t1 write 0x50 size=4 site=1");
    events.push_back("t2 write 0x50 size=4 site=2");
  }
  const Model model = model_of(text_trace(events));
  const Predictions predictions = predict(model, {});
  const std::vector<const Prediction*> races = of_kind(predictions, AnomalyKind::DataRace);
  ASSERT_EQ(races.size(), 1u);
  const std::vector<Prediction> further = predict_further(model, *races[0], {});
  ASSERT_EQ(further.size(), CandidateLimits{}.instances_max - 1);
  std::set<trace::StepIndex> steps{races[0]->events[0].step};
  for (const Prediction& other : further) steps.insert(other.events[0].step);
  EXPECT_EQ(steps.size(), CandidateLimits{}.instances_max);
}

}  // namespace
}  // namespace heddle::predict
