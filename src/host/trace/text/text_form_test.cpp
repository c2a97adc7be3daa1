#include "trace/text/text_form.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "trace/random_trace.h"

namespace heddle::trace {
namespace {

TEST(TextForm, parses_what_it_prints) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Trace trace = random_trace(seed, 300);
    const Result<Trace> parsed = parse_trace_text(trace_text(trace));
    ASSERT_TRUE(parsed.ok()) << "seed " << seed << ": " << parsed.error().message;
    ASSERT_EQ(*parsed, trace) << "seed " << seed;
  }
}

TEST(TextForm, prints_what_it_parses) {
  for (const char* line : {
           "3 t0 write 0x2000 size=4 site=5 value=0x4d",
           "4 t0 switch t1 points=9 check=0xabcd value=0x200000007 preemption",
           "5 t1 read m2+0x40 size=4 site=7",
           "6 t1 fork t2",
           "7 t1 lock 0x10 failed",
           "7 t1 destroy m2+0x40 site=2147483649",
           "8 t1 iteration 0x10 after",
           "18446744073709551615 t4294967295 choice t3",
       }) {
    const Result<Event> event = parse_event_text(line);
    ASSERT_TRUE(event.ok()) << line << ": " << event.error().message;
    EXPECT_EQ(event_text(*event), line);
  }
}

TEST(TextForm, locations_are_comments) {
  TraceTables tables;
  tables.sites[SiteId{5}].file = "a\n.cpp";
  tables.sites[SiteId{5}].line = 12;
  tables.sites[SiteId{5}].function = "f";
  const Event event = *parse_event_text("3 t0 write 0x2000 size=4 site=5");
  const std::string text = described_event_text(event, tables);
  EXPECT_EQ(text, "3 t0 write 0x2000 size=4 site=5 # a .cpp:12:0 f");
  EXPECT_EQ(*parse_event_text(text), event);
  const std::string block = "4 t0 branch m0+0x40 site=5 value=0x7000";  // the fifth block of its function, not site 5
  EXPECT_EQ(described_event_text(*parse_event_text(block), tables), block);
}

TEST(TextForm, reports_the_number_of_a_malformed_line) {
  const std::string head = "htrace text 1\nprogram \"p\"\n";
  for (const char* line :
       {"x", "1", "1 t0", "1 t0 reads 0x1", "1 t0 read", "1 t0 read 0x1 size=65536", "1 0 read 0x1",
        "1 t0 read m512+0x0", "1 t0 read 0x1 points=3", "1 t0 switch 0x100000000", "module 1", "program \"p",
        "program \"\\x4\"", "site 1 kind=1", "1 t0 read 0x1 what", "-1 t0 read 0x1"}) {
    const Result<Trace> trace = parse_trace_text(head + line + "\n");
    ASSERT_FALSE(trace.ok()) << line;
    EXPECT_TRUE(trace.error().message.starts_with("line 3: ")) << trace.error().message;
  }
  EXPECT_FALSE(parse_trace_text(head + "5 t0 read 0x1\n5 t0 read 0x1\n").ok());
  EXPECT_FALSE(parse_trace_text("").ok());
  EXPECT_FALSE(parse_trace_text("1 t0 read 0x1\n").ok());
}

TEST(TextForm, dumps_a_window_of_a_file) {
  const std::string path = testing::TempDir() + "heddle_text_form_window_" + std::to_string(::getpid()) + ".htrace";
  Trace trace;
  for (StepIndex step = 0; step < 10; ++step) {
    Event event;
    event.step = step;
    event.kind = format::EventKind::Read;
    event.object = step;
    trace.events.push_back(event);
  }
  ASSERT_TRUE(write_trace(path, trace).ok());
  Result<TraceReader> reader = TraceReader::open(path);
  ASSERT_TRUE(reader.ok());
  std::ostringstream out;
  write_events_text(*reader, 3, 2, out);
  EXPECT_EQ(out.str(), "3 t0 read 0x3\n4 t0 read 0x4\n");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace heddle::trace
