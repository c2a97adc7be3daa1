#include "support/closest_word.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Words = std::vector<std::string>;

const Words kVerbs = {"hunt",  "run",         "explore", "test",  "predict", "replay", "shrink", "explain",
                      "graph", "breakpoints", "core",    "debug", "check",   "trace",  "doctor"};

TEST(ClosestWord, finds_a_word_with_a_letter_removed_added_replaced_or_exchanged) {
  EXPECT_EQ(closest_words("hnt", kVerbs), Words{"hunt"});
  EXPECT_EQ(closest_words("huunt", kVerbs), Words{"hunt"});
  EXPECT_EQ(closest_words("shrynk", kVerbs), Words{"shrink"});
  EXPECT_EQ(closest_words("exlpain", kVerbs), Words{"explain"});
}

TEST(ClosestWord, finds_every_word_from_each_single_mistake) {
  for (const std::string& verb : kVerbs)
    for (std::size_t i = 0; i + 1 < verb.size(); ++i) {
      std::string exchanged = verb, shorter = verb;
      std::swap(exchanged[i], exchanged[i + 1]);
      shorter.erase(i, 1);
      EXPECT_EQ(closest_words(exchanged, kVerbs), Words{verb}) << exchanged;
      EXPECT_EQ(closest_words(shorter, kVerbs), Words{verb}) << shorter;
    }
}

TEST(ClosestWord, accepts_a_prefix_and_prefers_a_misspelling) {
  EXPECT_EQ(closest_words("br", kVerbs), Words{"breakpoints"});
  EXPECT_EQ(closest_words("--tim", {"--timeout", "--time"}), Words{"--time"});
  EXPECT_EQ(closest_words("--keep", {"--out", "--keep-going"}), Words{"--keep-going"});
}

TEST(ClosestWord, returns_all_equally_likely_words) {
  EXPECT_EQ(closest_words("expl", kVerbs), (Words{"explore", "explain"}));
  EXPECT_EQ(closest_words("diff", {"diff", "info", "diff"}), Words{"diff"});
}

TEST(ClosestWord, ignores_dashes_and_capitals) {
  EXPECT_EQ(closest_words("-time", {"--jobs", "--time"}), Words{"--time"});
  EXPECT_EQ(closest_words("Hunt", kVerbs), Words{"hunt"});
}

TEST(ClosestWord, finds_nothing_for_a_word_that_resembles_no_other) {
  for (const char* typed : {"", "-", "x", "frobnicate", "ls", "./program"})
    EXPECT_TRUE(closest_words(typed, kVerbs).empty()) << typed;
}

TEST(ClosestWord, joins_alternatives_with_commas_and_or) {
  EXPECT_EQ(alternatives_text({"fiber"}), "fiber");
  EXPECT_EQ(alternatives_text({"fiber", "thread"}), "fiber or thread");
  EXPECT_EQ(alternatives_text({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace heddle
