#include "trace/text/perfetto_export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "trace/random_trace.h"
#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

nlohmann::json exported(const Trace& trace) {
  std::ostringstream out;
  PerfettoExporter exporter(trace.tables, out);
  for (const Event& event : trace.events) exporter.add(event);
  exporter.finish();
  return nlohmann::json::parse(out.str(), nullptr, false);
}

std::vector<nlohmann::json> records(const nlohmann::json& document, const std::string& phase) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& record : document["traceEvents"]) {
    if (record["ph"] == phase) found.push_back(record);
  }
  return found;
}

TEST(PerfettoExport, any_trace_is_valid_json) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const nlohmann::json document = exported(random_trace(seed, 200));
    ASSERT_FALSE(document.is_discarded()) << "seed " << seed;
    ASSERT_TRUE(document["traceEvents"].is_array());
  }
}

TEST(PerfettoExport, makes_slices_of_turns_and_arrows_of_orders) {
  const Result<Trace> trace = parse_trace_text(
      "htrace text 1\nprogram \"a\\\"b\"\nthread 1 parent=0 ordinal=1\n"
      "0 t0 fork t1\n1 t0 lock 0x10\n2 t0 unlock 0x10\n3 t0 switch t1 points=3 check=0x0\n"
      "4 t1 begin t1\n5 t1 lock 0x10\n6 t1 unlock 0x10\n7 t1 exit t1\n8 t1 switch t0 points=4 "
      "check=0x0\n"
      "9 t0 join t1\n");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const nlohmann::json document = exported(*trace);
  const auto slices = records(document, "X");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0]["tid"], 0);
  EXPECT_EQ(slices[0]["dur"], 4);
  EXPECT_EQ(slices[1]["tid"], 1);
  EXPECT_EQ(slices[1]["ts"], 4);
  EXPECT_EQ(slices[2]["ts"], 9);
  const auto starts = records(document, "s");
  const auto ends = records(document, "f");
  ASSERT_EQ(starts.size(), 3u);
  ASSERT_EQ(ends.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
  EXPECT_EQ(starts[0]["name"], "fork");
  EXPECT_EQ(ends[0]["ts"], 4);
  EXPECT_EQ(starts[1]["name"], "lock");
  EXPECT_EQ(starts[1]["ts"], 2);
  EXPECT_EQ(ends[1]["ts"], 5);
  EXPECT_EQ(starts[2]["name"], "join");
  EXPECT_EQ(starts[2]["ts"], 7);
  EXPECT_EQ(document["traceEvents"][0]["args"]["name"], "a\"b");
}

}  // namespace
}  // namespace heddle::trace
