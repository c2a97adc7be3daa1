#include "runtime/heap/heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "runtime/heap/fill.h"
#include "runtime/heap/size_classes.h"

namespace heddle::runtime::heap {
namespace {

std::size_t random_size(Random& random) {
  switch (random.below(10)) {
    case 0:
      return random.below(300 << 10);
    case 1:
      return random.below(20 << 10);
    default:
      return random.below(600);
  }
}

std::size_t resident_bytes() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long total = 0, resident = 0;
  EXPECT_EQ(std::fscanf(file, "%lu %lu", &total, &resident), 2);
  std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Calls `function` in a copy of this process and returns its result.
template <typename Function>
std::uint64_t in_a_copy(Function function) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t answer = function();
    _exit(write(ends[1], &answer, sizeof(answer)) == sizeof(answer) ? 0 : 1);
  }
  close(ends[1]);
  std::uint64_t answer = 0;
  EXPECT_EQ(read(ends[0], &answer, sizeof(answer)), static_cast<ssize_t>(sizeof(answer)));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return answer;
}

// The check of the assembly hooks (hook_x86_64.inc). False: the memory may be freed.
bool passes_hooks(const void* address) {
  return all_marked && (heap_offset(address) >= accessible_bytes || !is_freed(*mark_of(address)));
}

class HeapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(initialise());
    reports.clear();
    on_corruption([](const BlockInfo& block, const void* address) { reports.push_back({block, address}); });
  }
  void TearDown() override { EXPECT_EQ(reports.size(), reports_expected); }

  struct Report {
    BlockInfo block;
    const void* address;
  };
  static inline std::vector<Report> reports;
  std::size_t reports_expected = 0;
};

// Live blocks and their expected contents.
class Model {
 public:
  void add(void* address, std::size_t size, std::size_t alignment) {
    ASSERT_NE(address, nullptr);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(address) % alignment, 0u);
    ASSERT_GE(usable_size(address), size);
    auto* begin = static_cast<unsigned char*>(address);
    const auto next = blocks_.lower_bound(begin);
    if (next != blocks_.end()) ASSERT_LE(begin + usable_size(begin), next->first);
    if (next != blocks_.begin()) {
      const auto before = std::prev(next);
      ASSERT_LE(before->first + usable_size(before->first), begin);
    }
    const auto byte = static_cast<unsigned char>(++written_);
    std::memset(begin, byte, size);
    blocks_[begin] = {size, byte};
  }

  void check_contents(const unsigned char* begin, std::size_t size, unsigned char byte) {
    const auto* const end = begin + size;
    ASSERT_EQ(std::find_if(begin, end, [byte](unsigned char b) { return b != byte; }), end);
  }

  void check(unsigned char* begin) {
    const auto [size, byte] = blocks_.at(begin);
    check_contents(begin, size, byte);
    const BlockInfo info = find_block(begin + (size > 0 ? size - 1 : 0));
    ASSERT_EQ(info.begin, begin);
    ASSERT_EQ(info.requested_bytes, size);
    ASSERT_EQ(info.state, BlockState::Live);
    ASSERT_FALSE(is_freed_memory(begin));
    ASSERT_TRUE(passes_hooks(begin));
    ASSERT_EQ(check_release(begin), FreeProblem::None);
  }

  void remove(unsigned char* begin) {
    check(begin);
    ASSERT_EQ(release(begin), FreeProblem::None);
    ASSERT_TRUE(is_freed_memory(begin));
    ASSERT_FALSE(passes_hooks(begin));
    blocks_.erase(begin);
  }

  void resize(unsigned char* begin, std::size_t size) {
    check(begin);
    const auto [old_size, byte] = blocks_.at(begin);
    void* moved = reallocate(begin, size);
    ASSERT_NE(moved, nullptr);
    check_contents(static_cast<unsigned char*>(moved), std::min(size, old_size), byte);
    blocks_.erase(begin);
    add(moved, size, kGranuleBytes);
  }

  bool empty() const { return blocks_.empty(); }
  std::size_t count() const { return blocks_.size(); }
  // Not uniform, but may return any block.
  unsigned char* pick(Random& random) {
    const auto begin = blocks_.begin()->first;
    const auto span = static_cast<std::uint64_t>(blocks_.rbegin()->first - begin);
    return std::prev(blocks_.upper_bound(begin + random.below(span + 1)))->first;
  }
  unsigned char* first() { return blocks_.begin()->first; }

 private:
  struct Contents {
    std::size_t size;
    unsigned char byte;
  };
  std::map<unsigned char*, Contents> blocks_;
  std::uint64_t written_ = 0;
};

TEST_F(HeapTest, keeps_the_contents_of_every_block_through_random_operations) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random{seed};
    Model model;
    for (int step = 0; step < 6000 && !HasFatalFailure(); ++step) {
      const std::size_t size = random_size(random);
      const std::uint64_t what = random.below(model.count() > 500 ? 16 : 10);
      if (what < 4 || model.empty()) {
        model.add(allocate(size), size, kGranuleBytes);
      } else if (what == 4) {
        auto* block = static_cast<unsigned char*>(allocate_zeroed(1, size));
        ASSERT_NE(block, nullptr);
        model.check_contents(block, size, 0);
        model.add(block, size, kGranuleBytes);
      } else if (what == 5) {
        const std::size_t alignment = std::size_t{1} << random.below(19);
        model.add(allocate_aligned(alignment, size), size, std::max(alignment, kGranuleBytes));
      } else if (what == 6) {
        model.resize(model.pick(random), size + 1);
      } else {
        model.remove(model.pick(random));
      }
    }
    while (!model.empty() && !HasFatalFailure()) model.remove(model.first());
  }
}

TEST_F(HeapTest, gives_the_same_addresses_to_the_same_calls_in_two_processes) {
  const auto hash_of_addresses = [](std::uint64_t seed) {
    return in_a_copy([seed] {
      Random random{seed};
      EventHash hash;
      std::vector<void*> live;
      for (int step = 0; step < 20000; ++step) {
        if (live.size() > 200 || (!live.empty() && random.below(2) == 0)) {
          void*& block = live[random.below(live.size())];
          release(block);
          block = live.back();
          live.pop_back();
        } else {
          live.push_back(allocate(random_size(random)));
          hash.add(reinterpret_cast<std::uintptr_t>(live.back()));
        }
      }
      return hash.value();
    });
  };
  EXPECT_EQ(hash_of_addresses(1), hash_of_addresses(1));
  EXPECT_NE(hash_of_addresses(1), hash_of_addresses(2));
}

// A threadsafe death test runs in a new process, whose heap is unused.
class NewProcess : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NewProcess, gives_the_first_block_the_first_address) {
  const auto first_addresses_are_right = [] {
    const bool early = is_early(allocate(100));
    return initialise() && early && heap_offset(allocate(100)) == 0;
  };
  EXPECT_EXIT(_exit(first_addresses_are_right() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

#if !__has_feature(address_sanitizer)  // reserves more addresses than the limit
TEST_F(NewProcess, works_with_fewer_addresses_and_can_use_all_of_them_twice) {
  const auto all_can_be_used = [] {
    constexpr rlim_t kLimit = rlim_t{3} << 30;
    const rlimit limit{kLimit, kLimit};
    if (setrlimit(RLIMIT_AS, &limit) != 0 || !initialise()) return false;
    std::size_t large = 0;
    std::vector<void*> live(1 << 20);
    while ((live[large] = allocate(1 << 20)) != nullptr) ++large;
    for (std::size_t i = 0; i < large; ++i) release(live[i]);
    std::size_t small = 0;
    while (allocate(kSmallMax) != nullptr) ++small;
    return large << 20 > kLimit / 4 && small * kSmallMax > kLimit / 5;
  };
  EXPECT_EXIT(_exit(all_can_be_used() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}
#endif

TEST_F(HeapTest, places_blocks_in_the_range_of_the_layout) {
  void* block = allocate(1);
  EXPECT_GE(reinterpret_cast<std::uintptr_t>(block), kBlocksBegin);
  EXPECT_TRUE(owns(block));
  EXPECT_FALSE(owns(&block));
  EXPECT_FALSE(owns(nullptr));
  release(block);
}

TEST_F(HeapTest, reports_double_bad_and_foreign_frees_and_leaves_the_heap_unchanged) {
  for (const std::size_t size : {std::size_t{100}, kSmallMax, kSmallMax + 1, std::size_t{1} << 20}) {
    auto* block = static_cast<std::byte*>(allocate(size));
    EXPECT_EQ(release(block + 1), FreeProblem::NotABlock);
    EXPECT_EQ(release(block + kGranuleBytes), FreeProblem::NotABlock);
    EXPECT_EQ(check_release(block), FreeProblem::None);
    EXPECT_EQ(release(block), FreeProblem::None);
    EXPECT_EQ(check_release(block), FreeProblem::DoubleFree);
    EXPECT_EQ(release(block), FreeProblem::DoubleFree);
    EXPECT_EQ(release(block + kGranuleBytes), FreeProblem::NotABlock);
  }
  int on_the_stack = 0;
  EXPECT_EQ(release(&on_the_stack), FreeProblem::Foreign);
  EXPECT_EQ(release(nullptr), FreeProblem::None);
}

TEST_F(HeapTest, distinguishes_freed_memory_from_live_and_unused_memory) {
  for (const std::size_t size : {std::size_t{16}, std::size_t{100}, std::size_t{5000}, std::size_t{1} << 20}) {
    auto* block = static_cast<std::byte*>(allocate(size));
    for (std::size_t i = 0; i < size; ++i) ASSERT_FALSE(is_freed_memory(block + i));
    for (std::size_t i = 0; i < size; ++i) ASSERT_TRUE(passes_hooks(block + i));
    release(block);
    for (std::size_t i = 0; i < size; ++i) ASSERT_TRUE(is_freed_memory(block + i));
    for (std::size_t i = 0; i < size; ++i) ASSERT_FALSE(passes_hooks(block + i));
  }
  EXPECT_FALSE(is_freed_memory(nullptr));
  EXPECT_FALSE(is_freed_memory(reinterpret_cast<void*>(kBlocksBegin + kHeapBytesMax)));
}

TEST_F(HeapTest, reports_the_allocation_of_freed_memory) {
  for (const std::size_t size : {std::size_t{24}, std::size_t{3000}, std::size_t{200} << 10}) {
    auto* block = static_cast<std::byte*>(allocate(size));
    auto* next = static_cast<std::byte*>(allocate(size));
    const BlockInfo live = find_block(block + size - 1);
    EXPECT_EQ(live.state, BlockState::Live);
    EXPECT_EQ(live.ordinal + 1, find_block(next).ordinal);
    release(block);
    const BlockInfo freed = find_block(block + size / 2);
    EXPECT_EQ(freed.state, BlockState::Freed);
    EXPECT_EQ(freed.begin, block);
    EXPECT_EQ(freed.requested_bytes, size);
    EXPECT_EQ(freed.ordinal, live.ordinal);
    release(next);
  }
  EXPECT_EQ(find_block(nullptr).state, BlockState::Never);
}

TEST_F(HeapTest, fills_freed_memory_completely) {
  auto* block = static_cast<unsigned char*>(allocate(1000));
  std::memset(block, 1, 1000);
  const std::size_t bytes = usable_size(block);
  release(block);
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], kFreedByte);
}

TEST_F(HeapTest, does_not_reuse_a_block_before_the_end_of_its_quarantine) {
  for (const std::size_t size : {std::size_t{16}, std::size_t{1000}, std::size_t{30000}}) {
    const std::uint32_t length = kClassShapes[class_of_size(size)].quarantine_blocks;
    void* block = allocate(size);
    release(block);
    std::uint32_t frees = 0;
    for (bool reused = false; !reused && frees <= 3 * kUnitGranules; ++frees) {
      void* other = allocate(size);
      reused = other == block;
      release(other);
    }
    EXPECT_GE(frees, length);
    EXPECT_LE(frees, 3 * kUnitGranules) << "never reused";
  }
}

TEST_F(HeapTest, reports_a_write_to_freed_memory_when_it_is_reused) {
  for (const std::size_t size : {std::size_t{40}, std::size_t{600}, std::size_t{200} << 10}) {
    reports.clear();
    auto* block = static_cast<unsigned char*>(allocate(size));
    const std::uint64_t ordinal = find_block(block).ordinal;
    release(block);
    block[size / 2] = 7;
    // The blocks are held, so that all freed memory is reused eventually.
    std::vector<void*> held;
    for (int i = 0; i < 10000 && reports.empty(); ++i) {
      held.push_back(allocate(size));
      if (i < 1000) {
        release(held.back());
        held.pop_back();
      }
    }
    ASSERT_EQ(reports.size(), 1u) << size;
    EXPECT_EQ(reports[0].address, block + size / 2);
    EXPECT_EQ(reports[0].block.begin, block);
    EXPECT_EQ(reports[0].block.ordinal, ordinal);
    EXPECT_EQ(reports[0].block.state, BlockState::Freed);
    for (void* other : held) release(other);
  }
  reports_expected = 1;  // of the last round
}

TEST_F(HeapTest, refuses_sizes_and_alignments_that_do_not_fit) {
  EXPECT_EQ(allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(allocate(kHeapBytesMax + 1), nullptr);
  EXPECT_EQ(allocate_zeroed(SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(allocate_aligned(std::size_t{1} << 62, 1), nullptr);
  EXPECT_EQ(allocate_aligned(4096, SIZE_MAX - 100), nullptr);
  void* block = allocate(100);
  std::memset(block, 3, 100);
  EXPECT_EQ(reallocate(block, SIZE_MAX), nullptr);
  EXPECT_EQ(static_cast<unsigned char*>(block)[99], 3);
  release(block);
}

TEST_F(HeapTest, allocates_and_frees_a_tenth_of_the_heap_repeatedly) {
  for (int i = 0; i < 20; ++i) {
    void* block = allocate(kHeapBytesMax / 10);
    ASSERT_NE(block, nullptr) << i;
    static_cast<unsigned char*>(block)[kHeapBytesMax / 20] = 1;
    release(block);
  }
}

TEST_F(HeapTest, hooks_reject_freed_memory_of_a_block_too_large_to_be_marked) {
  const std::uint64_t wrong = in_a_copy([] {
    static int reported = 0;
    on_unmarked_memory([] { ++reported; });
    const std::size_t before = resident_bytes();
    constexpr std::size_t kSize = std::size_t{8} << 30;
    auto* block = static_cast<std::byte*>(allocate(kSize));
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < kSize; i += kSize / 64) count += passes_hooks(block + i) ? 0 : 1;
    release(block);
    for (std::size_t i = 0; i < kSize; i += kSize / 64) count += passes_hooks(block + i) ? 1 : 0;
    count += reported == 1 ? 0 : 100;
    return count + (resident_bytes() > before + (std::size_t{64} << 20) ? 1000 : 0);
  });
  EXPECT_EQ(wrong, 0u);
}

TEST_F(HeapTest, size_zero_yields_distinct_blocks) {
  void* a = allocate(0);
  void* b = allocate(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(find_block(a).requested_bytes, 0u);
  EXPECT_EQ(reallocate(a, 0), nullptr);
  EXPECT_TRUE(is_freed_memory(a));
  release(b);
}

TEST_F(HeapTest, returns_the_pages_of_large_blocks_to_the_kernel) {
  constexpr std::size_t kSize = 64 << 20;
  const std::size_t before = resident_bytes();
  auto* block = static_cast<unsigned char*>(allocate(kSize));
  std::memset(block, 1, kSize);
  EXPECT_GT(resident_bytes(), before + kSize / 2);
  release(block);
  EXPECT_LT(resident_bytes(), before + kSize / 4);
}

TEST_F(HeapTest, reuses_the_pages_of_empty_slabs_for_other_sizes) {
  const std::size_t before = resident_bytes();
  for (std::size_t size = 16; size <= 1024; size += 48) {
    std::vector<void*> live(std::size_t{64 << 20} / (size + kGranuleBytes));
    for (void*& block : live) std::memset(block = allocate(size), 1, size);
    for (void* block : live) ASSERT_EQ(release(block), FreeProblem::None);
    ASSERT_TRUE(is_freed_memory(live.front()));
    ASSERT_TRUE(is_freed_memory(live.back()));
    for (const void* block : live) ASSERT_FALSE(passes_hooks(block));
    ASSERT_EQ(release(live.front()), FreeProblem::DoubleFree);
  }
  EXPECT_LT(resident_bytes(), before + (192u << 20));
}

TEST_F(HeapTest, large_blocks_grow_and_shrink_in_place) {
  auto* block = static_cast<unsigned char*>(allocate(1 << 20));
  block[(1 << 20) - 1] = 9;
  auto* smaller = static_cast<unsigned char*>(reallocate(block, 512 << 10));
  EXPECT_EQ(smaller, block);
  EXPECT_TRUE(is_freed_memory(block + (1 << 20) - 1));
  EXPECT_FALSE(passes_hooks(block + (1 << 20) - 1));
  EXPECT_TRUE(passes_hooks(block + (512 << 10) - 1));
  auto* larger = static_cast<unsigned char*>(reallocate(smaller, 1 << 20));
  EXPECT_EQ(larger, block);
  EXPECT_EQ(larger[(1 << 20) - 1], 0);
  EXPECT_FALSE(is_freed_memory(block + (1 << 20) - 1));
  EXPECT_TRUE(passes_hooks(block + (1 << 20) - 1));
  release(larger);
}

TEST_F(HeapTest, early_blocks_need_no_heap_and_can_be_moved_into_it) {
  auto* block = static_cast<unsigned char*>(early_allocate(100));
  ASSERT_NE(block, nullptr);
  std::memset(block, 5, 100);
  EXPECT_TRUE(owns(block));
  EXPECT_EQ(usable_size(block), 100u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(early_allocate(10, 256)) % 256, 0u);
  EXPECT_EQ(early_allocate(std::size_t{1} << 40), nullptr);
  auto* moved = static_cast<unsigned char*>(reallocate(block, 200));
  EXPECT_FALSE(is_early(moved));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(moved[i], 5);
  EXPECT_EQ(release(block), FreeProblem::None);
  release(moved);
}

TEST_F(HeapTest, ten_million_small_blocks_take_less_than_26_bytes_each) {
  constexpr std::size_t kBlocks = 10'000'000;
  const std::uint64_t bytes = in_a_copy([] {
    const std::size_t before = resident_bytes();
    for (std::size_t i = 0; i < kBlocks; ++i) {
      auto* block = static_cast<std::uint64_t*>(allocate(16));
      if (block == nullptr) return ~std::uint64_t{0};
      *block = i;
    }
    return std::uint64_t{resident_bytes() - before};
  });
  EXPECT_LT(bytes, 26 * kBlocks);
}

}  // namespace
}  // namespace heddle::runtime::heap
