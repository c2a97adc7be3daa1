// The laws of trace files: reading inverts writing, a truncated file is a prefix, damage is detected.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "support/files.h"
#include "trace/file/chunk.h"
#include "trace/file/compression.h"
#include "trace/object.h"
#include "trace/random_trace.h"
#include "trace/trace.h"

namespace heddle::trace {
namespace {

class TraceFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heddle_trace_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string bytes_of(const Trace& trace) const {
    EXPECT_TRUE(write_trace(path("t.htrace"), trace).ok());
    return *read_file(path("t.htrace"));
  }

 private:
  std::string folder_;
};

struct Reading {
  Trace trace;
  std::vector<Problem> problems;
};

Result<Reading> read_bytes(const std::string& bytes) {
  Result<TraceReader> reader = TraceReader::open(make_memory_source(bytes), "bytes");
  if (!reader) return reader.error();
  Trace trace = read_all(*reader);
  return Reading{std::move(trace), reader->problems()};
}

// Small chunks, so that few events make many of them.
std::string bytes_in_chunks(const std::string& path, const Trace& trace, std::size_t events_per_chunk) {
  Result<TraceWriter> writer = TraceWriter::create(path, trace.tables.header);
  EXPECT_TRUE(writer.ok());
  for (const TraceModule& module : trace.tables.modules) writer->add_module(module);
  for (const auto& [id, site] : trace.tables.sites) writer->add_sites({&site, 1});
  for (const auto& [thread, row] : trace.tables.threads.rows()) writer->add_thread(thread, row);
  for (std::size_t at = 0; at < trace.events.size(); ++at) {
    if (at % events_per_chunk == 0) writer->flush();
    writer->append(trace.events[at]);
  }
  EXPECT_TRUE(writer->finish().ok());
  return *read_file(path);
}

// The ring as the runtime writes it. `compact`: later accesses of a site are compact, one word each.
std::vector<std::uint64_t> ring_words(const std::vector<Event>& events, bool compact) {
  std::vector<std::uint64_t> words;
  std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> dictionary;
  for (const Event& event : events) {
    const std::uint64_t head = format::ring_head(event.kind, event.flags, event.size, event.site);
    if (compact && format::is_introduction(head)) {
      auto& known = dictionary[format::compact_slot(event.site)];
      if (known == std::pair(head, event.value) && format::fits_compact(event.object)) {
        words.push_back(format::compact_word(format::compact_slot(event.site), event.object));
        continue;
      }
      known = {head, event.value};
    }
    words.insert(words.end(), {head, event.object});
    if (event.has_value()) words.push_back(event.value);
  }
  return words;
}

std::string bytes_of_ring(const std::string& path, const std::vector<std::uint64_t>& words, std::size_t piece) {
  Result<TraceWriter> writer = TraceWriter::create(path, {});
  EXPECT_TRUE(writer.ok());
  TraceModule module;
  module.begin = 0x10'0000'0000;
  module.end = module.begin + 0x1000;
  writer->add_module(module);
  for (std::size_t at = 0; at < words.size(); at += piece) {
    writer->append(std::span(words).subspan(at, std::min(piece, words.size() - at)));
  }
  EXPECT_FALSE(writer->decoder().problem());
  EXPECT_TRUE(writer->finish().ok());
  return *read_file(path);
}

bool is_part(const std::vector<Event>& part, const std::vector<Event>& whole) {
  return std::ranges::all_of(
      part, [&](const Event& event) { return event.step < whole.size() && whole[event.step] == event; });
}

TEST_F(TraceFile, reads_what_was_written) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Trace trace = random_trace(seed, 3000);
    const Result<Reading> reading = read_bytes(bytes_of(trace));
    ASSERT_TRUE(reading.ok()) << "seed " << seed;
    EXPECT_TRUE(reading->problems.empty()) << "seed " << seed;
    ASSERT_EQ(reading->trace, trace) << "seed " << seed;
  }
}

TEST_F(TraceFile, compact_accesses_make_the_same_trace) {
  Random random(3);
  std::vector<Event> events = random_events(random, kEventsPerChunk + 5000);
  for (Event& event : events) {
    if (!format::is_access(event.kind) || random.below(4) == 0) continue;
    const bool range = event.site % 8 > 5;
    event.kind = static_cast<format::EventKind>(1 + event.site % 8);
    event.flags = range ? format::kHasValue : 0;
    event.value = range ? random.below(2) * 16 : 0;
    event.size = range ? 0 : 8;
    if (random.below(8) == 0) event.site += static_cast<std::uint32_t>(format::kCompactSlots);
  }
  const std::vector<std::uint64_t> full_words = ring_words(events, false);
  const std::string in_full = bytes_of_ring(path("long.htrace"), full_words, 1u << 16);
  const std::vector<std::uint64_t> compact = ring_words(events, true);
  EXPECT_LT(compact.size() + events.size() / 4, full_words.size());
  for (const std::size_t piece : {std::size_t{7}, std::size_t{1} << 16})
    EXPECT_EQ(bytes_of_ring(path("short.htrace"), compact, piece), in_full) << piece;
}

TEST_F(TraceFile, the_fast_mode_compresses_only_regular_chunks) {
  Random random(11);
  Trace regular;
  Trace irregular;
  regular.events = random_events(random, kEventsPerChunk * 4);
  irregular.events = regular.events;
  for (Event& event : regular.events) {
    const StepIndex step = event.step;
    event = regular.events[0];
    event.step = step;
  }
  const auto written = [&](const Trace& trace, TraceWriter::CompressionMode mode) {
    Result<TraceWriter> writer = TraceWriter::create(path("h.htrace"), {});
    EXPECT_TRUE(writer.ok());
    writer->set_compression_mode(mode);
    for (const Event& event : trace.events) writer->append(event);
    EXPECT_TRUE(writer->finish().ok());
    const std::string bytes = *read_file(path("h.htrace"));
    const Result<Reading> reading = read_bytes(bytes);
    EXPECT_TRUE(reading.ok());
    EXPECT_TRUE(reading->problems.empty());
    EXPECT_TRUE(reading->trace.events == trace.events);
    return bytes.size();
  };
  using CompressionMode = TraceWriter::CompressionMode;
  EXPECT_EQ(written(regular, CompressionMode::Fast), written(regular, CompressionMode::Normal));
  EXPECT_GT(written(irregular, CompressionMode::Fast), written(irregular, CompressionMode::Normal));
}

TEST(StoredFrame, reads_like_a_compressed_frame) {
  for (const std::size_t size : {0u, 1u, (128u << 10) - 1, 128u << 10, (128u << 10) + 1, 1u << 20}) {
    std::string raw(size, '\0');
    for (std::size_t i = 0; i < size; ++i) raw[i] = static_cast<char>(i * 7 + i / 256);
    std::string frame = "before";
    put_stored_frame(raw, frame);
    std::string read;
    EXPECT_TRUE(Decompressor().decompress(std::string_view(frame).substr(6), size, read)) << size;
    EXPECT_EQ(read, raw) << size;
  }
}

TEST_F(TraceFile, reads_what_was_written_across_full_chunks) {
  Random random(7);
  Trace trace;
  trace.events = random_events(random, kEventsPerChunk * 2 + 17);
  const Result<Reading> reading = read_bytes(bytes_of(trace));
  ASSERT_TRUE(reading.ok());
  EXPECT_TRUE(reading->problems.empty());
  EXPECT_TRUE(reading->trace == trace);
}

TEST_F(TraceFile, a_file_truncated_at_any_byte_reads_as_a_prefix_and_one_problem) {
  Random random(3);
  const Trace trace{random_tables(random), random_events(random, 300)};
  const std::string bytes = bytes_in_chunks(path("c.htrace"), trace, 50);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Reading> reading = read_bytes(bytes.substr(0, size));
    if (!reading.ok()) {
      EXPECT_LT(size, kTraceHeadSize);
      continue;
    }
    ASSERT_EQ(reading->problems.size(), 1u) << "cut at " << size << " of " << bytes.size();
    const std::vector<Event>& events = reading->trace.events;
    ASSERT_LE(events.size(), trace.events.size());
    ASSERT_TRUE(std::ranges::equal(events, std::span(trace.events).first(events.size()))) << "cut at " << size;
  }
}

TEST_F(TraceFile, detects_every_flipped_bit) {
  Random seed(5);
  const Trace trace{random_tables(seed), random_events(seed, 2000)};
  const std::string bytes = bytes_in_chunks(path("f.htrace"), trace, 100);
  const Reading sound = *read_bytes(bytes);
  Random random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = bytes;
    const std::uint64_t bit = random.below(damaged.size() * 8);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Result<Reading> reading = read_bytes(damaged);
    if (!reading.ok()) continue;  // open() rejects a damaged file head
    EXPECT_FALSE(reading->problems.empty()) << "bit " << bit;
    EXPECT_TRUE(is_part(reading->trace.events, sound.trace.events)) << "bit " << bit;
    EXPECT_GE(reading->trace.events.size() + 100, sound.trace.events.size()) << "bit " << bit;
  }
}

TEST_F(TraceFile, many_mutations_never_crash_the_reader) {
  Random seed(5);
  const Trace trace{random_tables(seed), random_events(seed, 2000)};
  const std::string bytes = bytes_in_chunks(path("m.htrace"), trace, 300);
  Random random(13);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = bytes;
    for (std::uint64_t count = 1 + random.below(20); count > 0; --count) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    }
    if (random.below(3) == 0) damaged.resize(random.below(damaged.size()));
    const Result<Reading> reading = read_bytes(damaged);
    if (reading.ok()) EXPECT_TRUE(is_part(reading->trace.events, trace.events));
  }
}

TEST_F(TraceFile, a_file_of_a_killed_writer_has_the_flushed_events) {
  const Trace trace = random_trace(8, 500);
  {
    Result<TraceWriter> writer = TraceWriter::create(path("k.htrace"), trace.tables.header);
    ASSERT_TRUE(writer.ok());
    for (const Event& event : trace.events) writer->append(event);
    writer->flush();
  }
  const Result<Reading> reading = read_bytes(*read_file(path("k.htrace")));
  ASSERT_TRUE(reading.ok());
  EXPECT_EQ(reading->problems.size(), 1u);
  EXPECT_EQ(reading->trace.events, trace.events);
  EXPECT_EQ(reading->trace.tables.header, trace.tables.header);
}

TEST_F(TraceFile, seeks_to_any_step) {
  Random random(2);
  Trace trace;
  trace.events = random_events(random, 5000);
  const std::string bytes = bytes_in_chunks(path("s.htrace"), trace, 700);
  Result<TraceReader> reader = TraceReader::open(make_memory_source(bytes), "bytes");
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->steps(), 5000u);
  for (const StepIndex step : {4999u, 0u, 699u, 700u, 701u, 2500u}) {
    reader->seek(step);
    const std::span<const Event> events = reader->next();
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.front(), trace.events[step]);
  }
  reader->seek(5000);
  EXPECT_TRUE(reader->next().empty());
}

TEST_F(TraceFile, ring_words_become_events_with_threads_and_relative_objects) {
  using format::EventKind;
  Result<TraceWriter> writer = TraceWriter::create(path("r.htrace"), {});
  ASSERT_TRUE(writer.ok());
  writer->set_module_source([](std::uint32_t index) -> std::optional<LoadedModule> {
    TraceModule module;
    module.number = index;
    module.begin = 0x7000'0000;
    module.end = 0x7100'0000;
    TraceSite site;
    site.id = SiteId{5};
    site.file = "a.cpp";
    return LoadedModule{module, {site}};
  });
  const std::uint64_t words[] = {
      format::ring_head(format::kModule, 0, 0, 0),
      3,  //
      format::ring_head(EventKind::Fork, 0, 0, 0),
      1,  //
      format::ring_head(EventKind::Write, format::kHasValue, 4, 5),
      0x7000'0040,
      77,  //
      format::ring_head(EventKind::Switch, format::kPreemption, 0, 9),
      0xabcd'0000'0001u,  //
      format::ring_head(format::kOccurrence, 0, 0, 5),
      1,  //
      format::ring_head(format::kFrame, 0, 0, 0),
      0x7000'1234,       //
      format::kPadWord,  //
      format::ring_head(EventKind::Read, 0, 4, 5),
      0x1234'5678,
  };
  writer->append(words);
  ASSERT_TRUE(writer->finish().ok());

  Result<TraceReader> reader = TraceReader::open(path("r.htrace"));
  ASSERT_TRUE(reader.ok());
  const Trace trace = read_all(*reader);
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.tables.threads.name(ThreadId{1}), "0.1");
  ASSERT_EQ(trace.tables.modules.size(), 1u);
  ASSERT_NE(trace.tables.find_site(SiteId{5}), nullptr);
  EXPECT_EQ(trace.events[1].object, object_in_module(3, 0x40));
  EXPECT_EQ(trace.events[1].value, 77u);
  const Switch change = as_switch(trace.events[2]);
  EXPECT_EQ(change.from, kMainThread);
  EXPECT_EQ(change.to, ThreadId{1});
  EXPECT_EQ(change.points, 9u);
  EXPECT_EQ(change.check, 0xabcdu);
  EXPECT_TRUE(change.preemption);
  EXPECT_EQ(trace.events[3].thread, ThreadId{1});
  EXPECT_EQ(trace.events[3].object, 0x1234'5678u);
}

TEST_F(TraceFile, rejects_another_version_with_its_number) {
  std::string bytes = make_trace_head();
  bytes[kTraceMagic.size()] = 9;
  const Result<Reading> reading = read_bytes(bytes);
  ASSERT_FALSE(reading.ok());
  EXPECT_NE(reading.error().message.find("version 9"), std::string::npos);
}

TEST_F(TraceFile, reports_a_full_disk_at_the_end) {
  Result<TraceWriter> writer = TraceWriter::create("/dev/full", {});
  ASSERT_TRUE(writer.ok());
  EXPECT_FALSE(writer->finish().ok());
}

}  // namespace
}  // namespace heddle::trace
