#include "trace/text/std_form.h"

#include <gtest/gtest.h>

#include <sstream>

#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

Result<std::string> exported(const Trace& trace, const StdNames& names = {}) {
  std::ostringstream out;
  StdExporter exporter(trace.tables, names, out);
  for (const Event& event : trace.events) {
    if (Status status = exporter.add(event); !status) return status.error();
  }
  return std::move(out).str();
}

std::string exported_text(const std::string& events) {
  const Result<Trace> trace = parse_trace_text("htrace text 1\nthread 1 parent=0 ordinal=1\n" + events);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  const Result<std::string> text = exported(*trace);
  EXPECT_TRUE(text.ok());
  return *text;
}

TEST(StdForm, import_then_export_is_the_same_text) {
  const std::string text =
      "T0|begin|9\nT0|fork(T1)|1\nT1|acq(m)|3\nT1|r(m)|4\nT1|w(x)|a.java:7\nT1|rel(m)|5\nT1|end|"
      "8\nT0|join(T1)|7\n";
  const Result<StdTrace> imported = import_std(text);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported->trace.events.size(), 8u);
  EXPECT_EQ(imported->trace.tables.threads.name(ThreadId{1}), "0.1");
  // A lock and a variable may have the same name.
  EXPECT_NE(imported->trace.events[2].object, imported->trace.events[3].object);
  EXPECT_EQ(*exported(imported->trace, imported->names), text);
}

TEST(StdForm, a_malformed_line_is_an_error_with_its_number) {
  for (const char* line : {"", "T0", "T0|r(x)", "T0|r(x)|1|2", "|r(x)|1", "T0|r(x)|", "T0|r|1", "T0|r()|1",
                           "T0|read(x)|1", "T0|r(x|1", "T0|begin(T0)|1", "T0|r(x)y|1", "# comment"}) {
    const Result<StdTrace> imported = import_std(std::string("T0|w(x)|1\n") + line + "\nT0|w(x)|2\n");
    ASSERT_FALSE(imported.ok()) << line;
    EXPECT_TRUE(imported.error().message.starts_with("line 2: ")) << imported.error().message;
  }
}

TEST(StdForm, an_atomic_access_has_a_separate_lock) {
  EXPECT_EQ(exported_text("0 t1 atomic_update 0x10 size=4\n"),
            "0.1|acq(atomic_0x10)|0\n0.1|r(0x10)|0\n0.1|w(0x10)|0\n0.1|rel(atomic_0x10)|0\n");
}

TEST(StdForm, exports_only_the_outermost_lock_of_a_recursion) {
  EXPECT_EQ(exported_text("0 t0 lock 0x10\n1 t0 lock 0x10\n2 t0 unlock 0x10\n3 t0 read 0x20\n4 t0 unlock 0x10\n"),
            "0|acq(0x10)|0\n0|r(0x20)|0\n0|rel(0x10)|0\n");
}

TEST(StdForm, a_failed_try_acquires_no_lock) {
  EXPECT_EQ(exported_text("0 t0 try_lock 0x10 value=0x0\n1 t0 try_lock 0x10 value=0x1\n"), "0|acq(0x10)|0\n");
}

TEST(StdForm, a_range_is_a_variable_for_every_eight_bytes) {
  EXPECT_EQ(exported_text("0 t0 range_write 0x10 value=0x11\n"), "0|w(0x10)|0\n0|w(0x18)|0\n0|w(0x20)|0\n");
}

TEST(StdForm, rejects_a_bar_in_a_name) {
  Trace trace = *parse_trace_text("htrace text 1\n0 t0 read 0x10 site=1\n");
  trace.tables.sites[SiteId{1}].file = "a|b";
  const Result<std::string> text = exported(trace);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("a|b"), std::string::npos);
}

}  // namespace
}  // namespace heddle::trace
