// Published litmus programs whose racing pairs are known exactly (tests/data/traces).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "predict/trace_for_tests.h"
#include "support/files.h"

namespace heddle::predict {
namespace {

struct Expectation {
  std::string trace;
  std::set<std::string> pairs;
};

std::string contents(const std::string& name) {
  const Result<std::string> text = read_file((std::filesystem::path(HEDDLE_TRACES) / name).string());
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text.ok() ? *text : "";
}

std::vector<Expectation> expectations() {
  std::vector<Expectation> all;
  std::istringstream rows(contents("EXPECTED.tsv"));
  std::string row;
  std::getline(rows, row);  // names of the columns
  while (std::getline(rows, row)) {
    std::istringstream fields(row);
    std::string events, variables, pairs;
    Expectation expectation;
    std::getline(fields, expectation.trace, '\t');
    std::getline(fields, events, '\t');
    std::getline(fields, variables, '\t');
    std::getline(fields, pairs, '\t');
    std::istringstream list(pairs);
    for (std::string pair; std::getline(list, pair, ',');) {
      if (pair != "-") expectation.pairs.insert(pair);
    }
    all.push_back(std::move(expectation));
  }
  return all;
}

std::set<std::string> strict_races(const trace::Trace& trace) {
  const Model model = model_of(trace);
  std::set<std::string> pairs;
  PredictOptions options;
  options.weakest = WitnessStrength::Strict;
  for (const Prediction& prediction : predict(model, options).found) {
    if (prediction.kind != AnomalyKind::DataRace) continue;
    std::vector<int> lines;
    for (const AnomalyEvent& event : prediction.events)
      lines.push_back(std::stoi(model.tables.find_site(event.site)->file));
    std::ranges::sort(lines);
    pairs.insert(std::to_string(lines[0]) + "-" + std::to_string(lines[1]));
  }
  return pairs;
}

TEST(SharedTraces, finds_exactly_the_racing_pairs) {
  const std::vector<Expectation> all = expectations();
  ASSERT_EQ(all.size(), 40u);
  for (const Expectation& expectation : all) {
    EXPECT_EQ(strict_races(std_trace(contents(expectation.trace + ".std"))), expectation.pairs) << expectation.trace;
  }
}

}  // namespace
}  // namespace heddle::predict
