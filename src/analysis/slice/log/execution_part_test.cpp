#include "slice/log/execution_part.h"

#include <gtest/gtest.h>

#include <random>
#include <span>

#include "abi/flow.h"
#include "slice/slicer.h"
#include "slice/test_flow.h"
#include "trace/file/event_decoder.h"
#include "trace/file/event_encoder.h"
#include "trace/object.h"

namespace heddle::slice {
namespace {

using format::EventKind;
using Records = std::vector<trace::Event>;

constexpr std::uint32_t kThreads = 3;
constexpr std::uint64_t kCallerRow = 1, kCalleeRow = 2;

binary::Step privately(binary::Step step) {
  step.is_private = true;
  return step;
}

// A loop that calls a function and continues in the same block, so that later accesses belong to a frame without recent
// blocks; and a function that may call itself.
binary::FunctionFlow caller() {
  return function(
      5, 0,
      {{{1},
        {access(1, 0), call(0, 1, {{0}}), access(2, binary::kNoSlot, {1}), privately(access(0, binary::kNoSlot, {0}))}},
       {{1, 2},
        {phi(4, {{0, {0}}, {1, {3}}}), access(3, 2), call(1, 3, {{2}}), privately(access(1, 2)),
         access(4, binary::kNoSlot, {2}), plain(binary::StepKind::Branch, {3})}},
       {{}, {access(5, binary::kNoSlot, {4}), plain(binary::StepKind::Return, {})}}});
}

binary::FunctionFlow callee() {
  return function(
      3, 1,
      {{{1, 2}, {access(6, 1, {0}), plain(binary::StepKind::Branch, {1})}},
       {{2}, {privately(access(0, binary::kNoSlot, {1})), call(0, 2, {{1}}), access(7, binary::kNoSlot, {2})}},
       {{}, {privately(access(1, 1)), plain(binary::StepKind::Return, {1})}}});
}

// Threads that execute these functions with random interleaving and paths.
class RandomExecution {
 public:
  // `turn`: average number of consecutive events of a thread. Varied: accesses of any size at distant addresses.
  enum class Accesses { Alike, Varied };
  explicit RandomExecution(unsigned seed, std::uint32_t turn = 4, Accesses accesses = Accesses::Alike)
      : random_(seed), turn_(turn), accesses_(accesses) {}

  Records run(std::size_t count) {
    for (std::uint32_t thread = 1; thread < kThreads; ++thread) add(0, EventKind::Fork, thread);
    for (std::uint32_t thread = 1; thread < kThreads; ++thread) add(thread, EventKind::Begin, 0);
    std::uint32_t thread = 0;
    while (records_.size() < count) {
      if (draw(turn_) == 0) thread = draw(kThreads);
      if (draw(6) == 0)
        make_other_event(thread);
      else
        step(thread);
    }
    return records_;
  }

 private:
  struct Position {
    std::uint64_t row, base;
    const binary::FunctionFlow* flow;
    std::uint32_t block = 0, step = 0;
  };

  std::uint32_t draw(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  void add(std::uint32_t thread, EventKind kind, std::uint64_t object, std::uint64_t value = 0, std::uint8_t flags = 0,
           std::uint32_t site = 0, std::uint16_t size = 0) {
    records_.push_back({.object = object,
                        .value = value,
                        .thread = ThreadId{thread},
                        .site = site,
                        .size = size,
                        .kind = kind,
                        .flags = flags});
  }
  void reach(std::uint32_t thread, const Position& at, std::uint32_t point) {
    add(thread, EventKind::Branch, at.row, at.base, format::kHasValue, point);
  }
  void enter(std::uint32_t thread, std::uint64_t row, const binary::FunctionFlow& flow, std::uint64_t base) {
    stacks_[thread].push_back({row, base, &flow});
    reach(thread, stacks_[thread].back(), 0);
  }

  void step(std::uint32_t thread) {
    std::vector<Position>& stack = stacks_[thread];
    if (stack.empty()) return enter(thread, kCallerRow, caller_, 0x100000 * (thread + 1));
    Position& at = stack.back();
    const binary::Block& block = at.flow->blocks[at.block];
    if (at.step == block.steps.size()) return leave(thread, block);
    const binary::Step& step = block.steps[at.step++];
    if (step.kind == binary::StepKind::Access) {
      access_at(thread, at, step);
    } else if (step.kind == binary::StepKind::Call) {
      reach(thread, at, static_cast<std::uint32_t>(at.flow->blocks.size()) + step.call);
      if (stack.size() < 4) enter(thread, kCalleeRow, callee_, at.base - 0x100);
    }
  }
  void access_at(std::uint32_t thread, const Position& at, const binary::Step& step) {
    const std::uint64_t address = step.is_private ? at.base - 8 * (1 + step.name) : 0x1000 + 8 * draw(4);
    const bool writes = draw(2) == 0;
    if (!step.is_private && accesses_ == Accesses::Varied)
      return access_anything(thread, writes, static_cast<std::uint32_t>(step.name));
    if (!step.is_private)
      return add(thread, writes ? EventKind::Write : EventKind::Read, address, 0, 0,
                 static_cast<std::uint32_t>(step.name), 8);
    add(thread, EventKind::Branch, address, 8, format::kHasValue, static_cast<std::uint32_t>(step.name),
        writes ? HEDDLE_PRIVATE_EVENT_WRITE : HEDDLE_PRIVATE_EVENT_READ);
  }
  void access_anything(std::uint32_t thread, bool writes, std::uint32_t site) {
    const std::uint64_t places[] = {0x1000, 0x1000, 0x1000, 0x41000, trace::object_in_module(1, 0x10), 0x7f0000000ff0};
    const std::uint64_t address = places[draw(6)] + draw(8);
    if (draw(3) == 0)
      return add(thread, writes ? EventKind::RangeWrite : EventKind::RangeRead, address,
                 1 + draw(draw(8) == 0 ? 100 : 3), format::kHasValue, site);
    add(thread, writes ? EventKind::Write : EventKind::Read, address, 0, 0, site,
        static_cast<std::uint16_t>(4 << draw(3)));
  }
  void leave(std::uint32_t thread, const binary::Block& block) {
    std::vector<Position>& stack = stacks_[thread];
    if (block.successors.empty()) return stack.pop_back();
    Position& at = stack.back();
    at.block = block.successors[draw(static_cast<std::uint32_t>(block.successors.size()))];
    at.step = 0;
    reach(thread, at, at.block);
  }

  void make_other_event(std::uint32_t thread) {
    const std::uint64_t heap = 0x1000 + 16 * draw(2);
    switch (draw(6)) {
      case 0:
        return add(thread, EventKind::Lock, 0x4000 + draw(2));
      case 1:
        return add(thread, EventKind::Unlock, 0x4000 + draw(2));
      case 2:
        return add(thread, EventKind::Alloc, heap, 16, format::kHasValue);
      case 3:
        return add(thread, EventKind::Free, heap);
      case 4:
        return add(thread, EventKind::Iteration, 99, ++iterations_, format::kHasValue);
      default:
        return add(thread, EventKind::Iteration, 99, 0, format::kHasValue | format::kAfter);
    }
  }

  std::mt19937 random_;
  const std::uint32_t turn_;
  const Accesses accesses_;
  Records records_;
  std::vector<Position> stacks_[kThreads];
  const binary::FunctionFlow caller_ = caller(), callee_ = callee();
  std::uint64_t iterations_ = 0;
};

void add_functions(Slicer& slicer) {
  slicer.add_function(kCallerRow, caller());
  slicer.add_function(kCalleeRow, callee());
}

// Logs the execution in parts that begin at these records.
std::optional<Slice> slice_in_parts(const Records& records, const std::vector<std::size_t>& begins) {
  Slicer slicer;
  add_functions(slicer);
  ExecutionPart* part = &slicer.first_part();
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const std::size_t begin : begins)
      if (begin == i) part = &slicer.add_part();
    part->take(records[i]);
  }
  if (!slicer.join_parts()) return std::nullopt;
  return slicer.slice({1});
}

constexpr std::uint64_t kModuleBegin = 0x560000000000;

// Encodes the records as a chunk of a trace and decodes it into the part.
void add_as_chunk(std::span<const trace::Event> records, ExecutionPart& part) {
  trace::EventEncoder encoder;
  encoder.reset(records.front().thread);
  for (const trace::Event& record : records) {
    if (record.thread != encoder.thread()) encoder.set_thread(record.thread);
    encoder.add(format::ring_head(record.kind, record.flags, record.size, record.site), record.object, record.value);
  }
  trace::ChunkHead head{};
  head.event_count = encoder.count();
  head.first_thread = number(records.front().thread);
  std::string payload;
  encoder.put_payload(payload);
  trace::EventDecoder decoder;
  ASSERT_TRUE(decoder.begin(head, payload));
  part.begin_chunk(head.event_count);
  decoder.visit(part);
  ASSERT_TRUE(decoder.ok());
}

// Logs the execution as a trace in two parts. `second_part`: the first chunk of the second part.
std::optional<Slice> slice_trace(const Records& records, std::size_t chunk, std::size_t second_part) {
  Slicer slicer;
  add_functions(slicer);
  std::vector<ExecutionPart*> parts = {&slicer.first_part(), &slicer.add_part()};
  for (ExecutionPart* part : parts)
    part->set_module_begins(std::vector<std::uint64_t>(trace::kModuleNumbers, kModuleBegin));
  for (std::size_t at = 0; at < records.size(); at += chunk)
    add_as_chunk(std::span(records).subspan(at, std::min(chunk, records.size() - at)),
                 *parts[at / chunk >= second_part]);
  if (!slicer.join_parts()) return std::nullopt;
  return slicer.slice({1});
}

Records with_addresses(Records records) {
  for (trace::Event& record : records)
    if (format::object_is_address(record.kind) && trace::is_in_module(record.object))
      record.object = kModuleBegin + trace::offset_of(record.object);
  return records;
}

void expect_same(const Slice& parts, const Slice& whole) {
  EXPECT_EQ(parts.by_event, whole.by_event);
  EXPECT_EQ(parts.relevant_sites, whole.relevant_sites);
  EXPECT_EQ(parts.relevant_threads, whole.relevant_threads);
  ASSERT_EQ(parts.iterations.size(), whole.iterations.size());
  for (std::size_t i = 0; i < whole.iterations.size(); ++i)
    EXPECT_EQ(parts.iterations[i].relevant, whole.iterations[i].relevant);
}

TEST(ExecutionPart, a_slice_does_not_depend_on_where_the_execution_is_cut_in_two) {
  constexpr std::size_t kRecords = 150;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Records records = RandomExecution(seed).run(kRecords);
    const Slice whole = *slice_in_parts(records, {});
    for (std::size_t at = 1; at < records.size(); ++at) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", cut at " << at);
      const std::optional<Slice> parts = slice_in_parts(records, {at});
      ASSERT_TRUE(parts);
      expect_same(*parts, whole);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ExecutionPart, a_slice_does_not_change_with_the_maximum_number_of_parts) {
  for (unsigned seed = 100; seed < 400; ++seed) {
    const Records records = RandomExecution(seed).run(400);
    std::mt19937 random(seed);
    std::vector<std::size_t> begins;
    for (std::uint32_t i = 1; i < kPartsMax; ++i) begins.push_back(1 + random() % (records.size() - 1));
    const std::optional<Slice> parts = slice_in_parts(records, begins);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ASSERT_TRUE(parts);
    expect_same(*parts, *slice_in_parts(records, {}));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ExecutionPart, a_trace_has_the_same_slice_as_its_records) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const std::uint32_t turn = seed % 2 == 0 ? 4 : 200;
    const auto accesses = seed % 3 == 0 ? RandomExecution::Accesses::Alike : RandomExecution::Accesses::Varied;
    const Records records = RandomExecution(seed, turn, accesses).run(2000);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::optional<Slice> traced = slice_trace(records, 100 + seed, 3 + seed % 5);
    ASSERT_TRUE(traced);
    expect_same(*traced, *slice_in_parts(with_addresses(records), {}));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ExecutionPart, rejects_a_part_inside_a_function_that_was_never_entered) {
  const trace::Event outside{.object = 0x1000, .thread = ThreadId{1}, .site = 77, .size = 8, .kind = EventKind::Read};
  const trace::Event inside{.object = kCallerRow,
                            .value = 0x7000,
                            .thread = ThreadId{1},
                            .site = 1,
                            .kind = EventKind::Branch,
                            .flags = format::kHasValue};
  EXPECT_TRUE(slice_in_parts({outside, inside}, {}));
  EXPECT_FALSE(slice_in_parts({outside, inside}, {1}));
}

}  // namespace
}  // namespace heddle::slice
