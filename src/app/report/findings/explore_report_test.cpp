#include "report/findings/explore_report.h"

#include <gtest/gtest.h>

#include "report/run_text.h"

namespace heddle::report {
namespace {

using namespace std::chrono_literals;

explore::ExploreReport searched() {
  explore::ExploreReport report;
  report.strategy = "preemptions";
  report.bound_completed = 2;
  report.early_timeout = 100ms;
  return report;
}

std::string left_out_by(const explore::ExploreReport& report) {
  const std::string text = explore_text(report);
  const std::size_t begin = text.find("time-outs");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(ExploreReport, names_the_timeouts_that_a_claim_leaves_out) {
  explore::ExploreReport report = searched();
  EXPECT_EQ(left_out_by(report), "");
  EXPECT_EQ(explore_json(report)["exhaustive"]["time_outs_left_out"], nullptr);

  report.late_timeouts = {3, 30'000'000'000};
  EXPECT_EQ(left_out_by(report),
            "time-outs longer than 100 ms fired only when no thread could run (the longest: 30 s); "
            "--early-timeouts any covers them");
  EXPECT_EQ(explore_json(report)["exhaustive"]["time_outs_left_out"], 30000.0);

  report.early_timeout = 0ms;
  EXPECT_EQ(left_out_by(report),
            "time-outs fired only when no thread could run (the longest: 30 s); --early-timeouts any covers them");
  report.bound_completed.reset();
  EXPECT_EQ(left_out_by(report), "");
}

TEST(RunText, names_the_early_timeouts_of_a_failure) {
  run::RunReport report;
  report.outcome.kind = format::OutcomeKind::Assert;
  binary::SourceFrame frame;
  frame.function = "main";
  frame.file = "/src/client.cpp";
  frame.line = 40;
  frame.module = "/src/client";
  report.early = {{"0", 5'000'000, {frame}}, {"0.1", 1'000, {}}};
  report.early_timeouts.count = 3;
  const std::string text = run_text(report);
  EXPECT_NE(text.find("  the 5 ms time-out at client.cpp:40 of thread 0 fired while another thread could run\n"
                      "  the 1 us time-out of thread 0.1 fired while another thread could run\n"
                      "  and 1 more\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(early_timeouts_json(report)[0],
            (Json{{"thread", "0"}, {"milliseconds", 5.0}, {"file", "/src/client.cpp"}, {"line", 40}}));

  report.outcome.kind = format::OutcomeKind::Ok;
  EXPECT_EQ(run_text(report).find("time-out"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
