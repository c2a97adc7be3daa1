// The laws of clip files: a clip reads as it was written, a cut file reads as a prefix, errors name the wrong line,
// and damaged files never crash the reader.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/random.h"
#include "clip/clip_reader.h"
#include "clip/clip_writer.h"
#include "support/files.h"

namespace heddle::clip {
namespace {

class ClipFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "heddle_clip_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

// Makes writes beyond `bytes` fail during its lifetime.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// Random bytes, including quotes, line ends and invalid UTF-8.
std::string random_text(Random& random) {
  std::string text;
  const bool any = random.below(2) == 0;
  for (std::uint64_t size = random.below(12); size > 0; --size) {
    text.push_back(static_cast<char>(any ? random.below(256) : 32 + random.below(95)));
  }
  return text;
}

std::vector<std::string> random_texts(Random& random) {
  std::vector<std::string> texts(random.below(4));
  for (std::string& text : texts) text = random_text(random);
  return texts;
}

std::string random_descent(Random& random) {
  std::string name = "0";
  for (std::uint64_t depth = random.below(4); depth > 0; --depth) name += "." + std::to_string(1 + random.below(12));
  return name;
}

std::uint32_t any32(Random& random) { return static_cast<std::uint32_t>(random.next() >> random.below(64)); }

Clip random_clip(std::uint64_t seed, std::size_t runs_max) {
  Random random(seed);
  Clip clip;
  clip.head.program = random_text(random);
  clip.head.arguments = random_texts(random);
  for (std::string& name : random_texts(random)) clip.head.environment[name] = random_text(random);
  clip.head.unset_environment = random_texts(random);
  clip.head.stdin_file = random_text(random);
  clip.head.working_directory = random_text(random);
  clip.head.build_id = random_text(random);
  for (std::string& module : random_texts(random)) {
    clip.head.modules.push_back({module, random_text(random), random.below(2) == 0});
  }
  clip.head.processor = random_text(random);
  clip.head.engine = random.below(2) == 0 ? format::EngineKind::Fiber : format::EngineKind::Thread;
  clip.head.strategy = random_text(random);
  clip.head.seed = random.next();
  clip.head.quantum = random.next();
  clip.head.processors = any32(random);
  clip.head.spurious_wakeups = random.below(2) == 0;
  clip.head.time_model = random.below(2) == 0 ? format::TimeModel::Steps : format::TimeModel::Work;
  clip.head.steps_max = random.below(2) * random.below(1'000'000);
  clip.head.arm_mode = static_cast<format::ArmMode>(random.below(4));
  clip.head.armed = random_texts(random);
  for (std::uint64_t count = random.below(runs_max + 1); count > 0; --count) {
    clip.runs.push_back({random_descent(random), any32(random), any32(random), random.below(2) == 0});
  }
  for (std::uint64_t count = random.below(5); count > 0; --count) clip.choices.push_back(random_descent(random));
  for (std::uint64_t count = random.below(5); count > 0; --count)
    clip.arrivals.push_back(static_cast<std::int64_t>(random.next()));
  for (std::uint64_t count = random.below(3); count > 0; --count) {
    clip.omitted.threads.push_back(random_descent(random));
  }
  for (std::uint64_t count = random.below(4); count > 0; --count) {
    const std::uint32_t first = any32(random) / 2;
    clip.omitted.iterations.push_back({random_descent(random), random_text(random), first, first + any32(random) / 2});
  }
  for (std::uint64_t count = random.below(5); count > 0; --count) {
    clip.switches.push_back({random.below(2) == 0, random_descent(random), random_descent(random), random_text(random),
                             random_text(random), any32(random), any32(random), random_text(random), any32(random),
                             random_text(random), any32(random), "after " + random_text(random), any32(random),
                             any32(random), any32(random)});
  }
  if (random.below(4) != 0) {
    clip.end = ClipEnd{random_text(random), random_text(random), random_text(random), random.next(),
                       random.next(),       any32(random),       random.next(),       random.next()};
  }
  return clip;
}

Clip whole_clip(std::uint64_t seed, std::size_t runs_max) {
  Clip clip = random_clip(seed, runs_max);
  if (!clip.end) clip.end = ClipEnd{};
  return clip;
}

template <typename Item>
bool is_prefix(const std::vector<Item>& part, const std::vector<Item>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

void expect_prefix(const ClipReading& reading, const Clip& whole) {
  const Clip& part = reading.clip;
  EXPECT_EQ(part.head.program, whole.head.program);
  EXPECT_TRUE(is_prefix(part.head.armed, whole.head.armed));
  EXPECT_TRUE(is_prefix(part.switches, whole.switches));
  EXPECT_TRUE(is_prefix(part.runs, whole.runs));
  EXPECT_TRUE(is_prefix(part.choices, whole.choices));
  EXPECT_TRUE(is_prefix(part.arrivals, whole.arrivals));
}

TEST_F(ClipFile, reads_what_was_written) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Clip clip = random_clip(seed, 50);
    const Result<ClipReading> reading = parse_clip(format_clip(clip), "clip");
    ASSERT_TRUE(reading.ok()) << "seed " << seed << ": " << reading.error().message;
    EXPECT_EQ(reading->clip, clip) << "seed " << seed;
    EXPECT_EQ(reading->problems.size(), clip.end ? 0u : 1u) << "seed " << seed;
  }
}

TEST_F(ClipFile, reads_what_was_written_to_files_compressed_or_not) {
  const Clip clip = whole_clip(1, 5000);
  for (const char* name : {"a.clip", "a.clip.zst"}) {
    ASSERT_TRUE(write_clip(clip, path(name)).ok());
    const Result<ClipReading> reading = read_clip(path(name));
    ASSERT_TRUE(reading.ok());
    EXPECT_TRUE(reading->problems.empty());
    EXPECT_TRUE(reading->clip == clip);
  }
  EXPECT_LT(std::filesystem::file_size(path("a.clip.zst")), std::filesystem::file_size(path("a.clip")));
}

TEST_F(ClipFile, cut_at_any_byte_reads_as_a_prefix_and_one_problem) {
  const Clip clip = whole_clip(4, 20);
  const std::string text = format_clip(clip);
  const std::size_t head_end = text.find('\n');
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    const Result<ClipReading> reading = parse_clip(std::string_view(text).substr(0, size), "clip");
    if (!reading.ok()) {
      ASSERT_LT(size, head_end) << reading.error().message;
      EXPECT_NE(reading.error().message.find("cut short"), std::string::npos) << "cut at " << size;
      continue;
    }
    ASSERT_EQ(reading->problems.size(), 1u) << "cut at " << size;
    EXPECT_FALSE(reading->clip.end);
    const auto complete = static_cast<std::size_t>(std::count(text.begin(), text.begin() + size, '\n'));
    EXPECT_GE(reading->problems[0].line, complete) << "cut at " << size;
    EXPECT_LE(reading->problems[0].line, complete + 2) << "cut at " << size;
    expect_prefix(*reading, clip);
  }
}

TEST_F(ClipFile, a_cut_compressed_clip_is_a_prefix_and_one_problem) {
  Clip clip = whole_clip(2, 0);
  Random runs(1);
  while (clip.runs.size() < 60'000) clip.runs.push_back({random_descent(runs), any32(runs), any32(runs)});
  ASSERT_TRUE(write_clip(clip, path("z.clip.zst")).ok());
  const std::string bytes = *read_file(path("z.clip.zst"));
  Random random(1);
  std::size_t prefixes = 0;
  for (int round = 0; round < 60; ++round) {
    ASSERT_TRUE(write_file(path("cut.clip.zst"), bytes.substr(0, random.below(bytes.size()))).ok());
    const Result<ClipReading> reading = read_clip(path("cut.clip.zst"));
    if (!reading.ok()) continue;
    EXPECT_EQ(reading->problems.size(), 1u);
    EXPECT_NE(reading->problems[0].message.find("compressed"), std::string::npos);
    expect_prefix(*reading, clip);
    prefixes += reading->clip.runs.empty() ? 0 : 1;
  }
  EXPECT_GT(prefixes, 0u);
}

TEST_F(ClipFile, mutations_never_crash_the_reader) {
  const std::string text = format_clip(whole_clip(6, 30));
  Random random(9);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = text;
    for (std::uint64_t count = 1 + random.below(4); count > 0; --count) {
      damaged[random.below(damaged.size())] =
          static_cast<char>(random.below(4) == 0 ? random.next() : 32 + random.below(95));
    }
    const Result<ClipReading> reading = parse_clip(damaged, "clip");
    if (reading.ok()) EXPECT_TRUE(reading->clip.end.has_value() || !reading->problems.empty());
  }
}

struct Wrong {
  const char* line;
  const char* named;
};

TEST_F(ClipFile, names_the_line_and_the_key_that_is_wrong) {
  const std::string head = format_clip(Clip{});
  const Wrong wrongs[] = {
      {R"({"runs":[0,1,2]})", "threads"},
      {R"({"threads":["x"]})", "threads"},
      {R"({"threads":7})", "threads"},
      {R"({"choices":[7]})", "choices"},
      {R"({"arrivals":["7"]})", "arrivals"},
      {R"({"arrivals":[0.5]})", "arrivals"},
      {R"({"preemption":"0 to 0.1","kind":"read","occurrence":1})", "preemption"},
      {R"({"preemption":"0 -> 0.1","kind":"read","occurrence":-1})", "occurrence"},
      {R"({"preemption":"0 -> 0.1","kind":"read","occurrence":4294967296})", "occurrence"},
      {R"({"preemption":"0 -> 0.1","kind":"read","occurrence":1,"at":"a.cpp:x:1"})", "at"},
      {R"({"switch":"0 -> 0.","kind":"read","occurrence":1})", "switch"},
      {R"({"end":"ok"})", "signature"},
      {R"([1,2])", "JSON object"},
      {R"(nonsense)", "JSON object"},
  };
  for (const Wrong& wrong : wrongs) {
    const Result<ClipReading> reading = parse_clip(head + wrong.line + "\n{}\n", "clip");
    ASSERT_TRUE(reading.ok());
    ASSERT_EQ(reading->problems.size(), 1u) << wrong.line;
    EXPECT_EQ(reading->problems[0].line, 2u) << wrong.line;
    EXPECT_NE(reading->problems[0].message.find(wrong.named), std::string::npos) << reading->problems[0].message;
  }
}

TEST_F(ClipFile, ignores_keys_and_lines_of_later_versions) {
  Clip clip = whole_clip(10, 0);
  std::string text = format_clip(clip);
  text.insert(text.find("\"program\""), "\"later\":{\"x\":[1]},");
  text.insert(text.find('\n') + 1, "{\"something_new\":1}\n");
  const Result<ClipReading> reading = parse_clip(text, "clip");
  ASSERT_TRUE(reading.ok());
  EXPECT_TRUE(reading->problems.empty());
  EXPECT_EQ(reading->clip, clip);
}

TEST_F(ClipFile, refuses_another_version_and_other_files_in_one_line) {
  std::string text = format_clip(Clip{});
  text.replace(text.find(":1,"), 3, ":2,");
  const Result<ClipReading> newer = parse_clip(text, "new.clip");
  ASSERT_FALSE(newer.ok());
  EXPECT_NE(newer.error().message.find("version 2"), std::string::npos);
  for (const char* bytes : {"hello\n", "{}\n", "[]", "{\"heddle_clip\":\"1\"}\n", "\n"}) {
    const Result<ClipReading> reading = parse_clip(bytes, "x");
    ASSERT_FALSE(reading.ok()) << bytes;
    EXPECT_EQ(reading.error().message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(read_clip(path("missing.clip")).ok());
}

TEST_F(ClipFile, a_failed_write_leaves_the_old_file) {
  const Clip clip = whole_clip(3, 5);
  ASSERT_FALSE(write_clip(clip, path("no/such/folder.clip")).ok());
  ASSERT_TRUE(write_clip(clip, path("kept.clip")).ok());
  {
    const FileSizeLimit limit(100);  // like a full disk
    EXPECT_FALSE(write_clip(whole_clip(4, 500), path("kept.clip")).ok());
  }
  EXPECT_EQ(read_clip(path("kept.clip"))->clip, clip);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(path(""))) ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(ClipFile, the_documented_example_is_a_clip) {
  const Result<std::string> document = read_file(HEDDLE_SOURCE_DIR "/docs/clip_format.md");
  ASSERT_TRUE(document.ok());
  const std::size_t begin = document->find("```json\n") + 8;
  const std::string example = document->substr(begin, document->find("```", begin) - begin);
  const Result<ClipReading> reading = parse_clip(example, "docs/clip_format.md");
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  EXPECT_TRUE(reading->problems.empty()) << reading->problems[0].message;
  EXPECT_EQ(format_clip(reading->clip), example);
  ASSERT_EQ(reading->clip.switches.size(), 2u);
  EXPECT_EQ(reading->clip.switches[0].file, "bank.cpp");
  EXPECT_EQ(reading->clip.switches[0].line, 14u);
  EXPECT_EQ(reading->clip.runs.size(), 5u);
}

}  // namespace
}  // namespace heddle::clip
