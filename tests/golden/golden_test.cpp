// Files of old versions, which must stay readable, and text traces with their expected conversions. To accept a changed
// expectation, run with HEDDLE_REWRITE_GOLDEN=1 and review the difference. The files of a version are never rewritten.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "clip/clip_reader.h"
#include "clip/clip_writer.h"
#include "support/files.h"
#include "trace/text/std_form.h"
#include "trace/text/text_form.h"

namespace heddle {
namespace {

const std::string kFolder = HEDDLE_GOLDEN_DIR;

std::string content(const std::string& name) {
  const Result<std::string> text = read_file(kFolder + "/" + name);
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text.ok() ? *text : "";
}

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("HEDDLE_REWRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(kFolder + "/" + name, text).ok());
  }
  EXPECT_EQ(text, content(name)) << name;
}

TEST(VersionOne, a_finished_trace_reads_as_its_text) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(kFolder + "/v1/finished.htrace");
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ(trace::trace_text(read_all(*reader)), content("v1/finished.txt"));
  EXPECT_TRUE(reader->problems().empty());
}

TEST(VersionOne, an_unfinished_trace_reads_as_its_text) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(kFolder + "/v1/unfinished.htrace");
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ(trace::trace_text(read_all(*reader)), content("v1/unfinished.txt"));
  EXPECT_EQ(reader->problems().size(), 1u);
}

clip::Clip version_one_clip() {
  clip::Clip clip;
  clip.head.program = "./bank";
  clip.head.arguments = {"--accounts", "2", "caf\xe9"};
  clip.head.environment = {{"LANG", "C"}};
  clip.head.unset_environment = {"DISPLAY"};
  clip.head.stdin_file = "in.txt";
  clip.head.build_id = "3f0c51d2";
  clip.head.modules = {{"/usr/lib/libc.so.6", "a1b2", false}, {"./libledger.so", "c3d4", true}};
  clip.head.processor = "Example 3000";
  clip.head.engine = format::EngineKind::Thread;
  clip.head.strategy = "random";
  clip.head.seed = 18446744073709551615u;
  clip.head.quantum = 10;
  clip.head.processors = 4;
  clip.head.spurious_wakeups = true;
  clip.head.arm_mode = format::ArmMode::Only;
  clip.head.armed = {"bank.cpp:14:17 2 _ZN4Bank7depositEi#0"};
  clip.runs = {{"0", 12, 2882400001}, {"0.1", 3, 1450744508}, {"0.2", 9, 305419896}, {"0.1", 5, 4294967295}};
  clip.choices = {"0.2", "0.1"};
  clip.omitted.threads = {"0.3"};
  clip.switches = {{true, "0.1", "0.2", "write", "src/a:b.cpp", 14, 17, "_ZN4Bank7depositEi", 11,
                    "bank.cpp:14:17 2 _ZN4Bank7depositEi#0", 1},
                   {false, "0.2", "0.1", "exit", "", 0, 0, "", 0, "", 1}};
  clip.end = clip::ClipEnd{"assert", "assert bank.cpp:31", "total == 200", 31, 0xf1e2d3c4b5a69788u, 3, 3, 1};
  return clip;
}

TEST(VersionOne, clips_read_as_the_expected_structure) {
  for (const char* name : {"v1/bank.clip", "v1/bank.clip.zst"}) {
    const Result<clip::ClipReading> reading = clip::read_clip(kFolder + "/" + name);
    ASSERT_TRUE(reading.ok()) << reading.error().message;
    EXPECT_TRUE(reading->problems.empty()) << name;
    EXPECT_EQ(reading->clip, version_one_clip()) << name;
  }
}

TEST(StdTraces, import_and_export_are_inverse) {
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(kFolder + "/std")) {
    if (file.path().extension() != ".std") continue;
    ++files;
    const std::string name = "std/" + file.path().filename().string();
    const std::string text = content(name);
    const Result<trace::StdTrace> imported = trace::import_std(text);
    ASSERT_TRUE(imported.ok()) << name << ": " << imported.error().message;
    EXPECT_EQ(imported->trace.events.size(), static_cast<std::size_t>(std::ranges::count(text, '\n'))) << name;
    std::ostringstream out;
    trace::StdExporter exporter(imported->trace.tables, imported->names, out);
    for (const trace::Event& event : imported->trace.events) ASSERT_TRUE(exporter.add(event).ok()) << name;
    EXPECT_EQ(out.str(), text) << name;
  }
  EXPECT_EQ(files, 6u);
}

TEST(StdTraces, an_import_has_the_expected_text) {
  const Result<trace::StdTrace> imported = trace::import_std(content("std/sdp_BasicExample.std"));
  ASSERT_TRUE(imported.ok());
  expect_golden("std/sdp_BasicExample.txt", trace::trace_text(imported->trace));
}

TEST(Exports, a_trace_of_all_event_kinds_has_the_expected_std_form) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(kFolder + "/v1/finished.htrace");
  ASSERT_TRUE(reader.ok());
  std::ostringstream out;
  ASSERT_TRUE(trace::export_std(*reader, out).ok());
  expect_golden("exports/finished.std", out.str());
}

}  // namespace
}  // namespace heddle
