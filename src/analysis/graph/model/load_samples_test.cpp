#include "graph/model/load_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "graph/model/transfer_model.h"
#include "graph/test_graphs.h"
#include "support/files.h"

namespace heddle::graph {
namespace {

using ::testing::ElementsAre;

// A record as the kernel writes it.
template <typename... Words>
void append(std::vector<std::byte>& ring, std::uint32_t type, Words... words) {
  const std::uint64_t body[] = {static_cast<std::uint64_t>(words)...};
  const perf_event_header header{type, PERF_RECORD_MISC_USER, sizeof(perf_event_header) + sizeof body};
  const auto* bytes = reinterpret_cast<const std::byte*>(&header);
  ring.insert(ring.end(), bytes, bytes + sizeof header);
  ring.insert(ring.end(), reinterpret_cast<const std::byte*>(body),
              reinterpret_cast<const std::byte*>(body) + sizeof body);
}

std::uint64_t source_of(std::uint64_t operation, std::uint64_t snoop) {
  perf_mem_data_src source{};
  source.mem_op = operation;
  source.mem_snoop = snoop;
  return source.val;
}
const std::uint64_t kTransfer = source_of(PERF_MEM_OP_LOAD, PERF_MEM_SNOOP_HITM);

LoadSample transfer(std::uint32_t thread, std::uint64_t ip, std::uint64_t address) {
  return {ip, 1, thread, 0, address, kTransfer};
}

TEST(LoadSamples, are_decoded_from_a_ring_with_other_records) {
  std::vector<std::byte> ring;
  append(ring, PERF_RECORD_COMM, 7, 0);
  append(ring, PERF_RECORD_SAMPLE, 0x401000, 11ull << 32 | 10, 99, 0x7f0000000040, kTransfer);
  append(ring, PERF_RECORD_LOST, 5, 3);
  append(ring, PERF_RECORD_SAMPLE, 0x401010, 12ull << 32 | 10, 100, 0x7f0000000048, kTransfer);
  std::vector<LoadSample> samples;
  EXPECT_EQ(decode_samples(ring, [&](const LoadSample& sample) { samples.push_back(sample); }), 3u);
  EXPECT_THAT(samples, ElementsAre(LoadSample{0x401000, 10, 11, 99, 0x7f0000000040, kTransfer},
                                   LoadSample{0x401010, 10, 12, 100, 0x7f0000000048, kTransfer}));
}

TEST(LoadSamples, decoding_stops_at_an_incomplete_record) {
  std::vector<std::byte> ring;
  append(ring, PERF_RECORD_SAMPLE, 1, 2, 3, 4, kTransfer);
  const std::size_t whole = ring.size();
  append(ring, PERF_RECORD_SAMPLE, 1, 2, 3, 4, kTransfer);
  std::size_t count = 0;
  for (std::size_t size = whole; size < ring.size(); ++size)
    decode_samples(std::span(ring).first(size), [&](const LoadSample&) { ++count; });
  EXPECT_EQ(count, ring.size() - whole);
  ring.assign(64, std::byte{0});  // a record of size 0
  EXPECT_EQ(decode_samples(ring, [](const LoadSample&) { ADD_FAILURE(); }), 0u);
}

TEST(LoadSamples, are_transfers_if_another_core_had_modified_the_line) {
  EXPECT_TRUE(is_transfer({0, 0, 0, 0, 0, kTransfer}));
  EXPECT_FALSE(is_transfer({0, 0, 0, 0, 0, source_of(PERF_MEM_OP_LOAD, PERF_MEM_SNOOP_HIT)}));
  EXPECT_FALSE(is_transfer({0, 0, 0, 0, 0, source_of(PERF_MEM_OP_STORE, PERF_MEM_SNOOP_HITM)}));
}

TEST(TransferModel, adds_edges_from_the_last_holder_of_the_line) {
  TransferModel model(5);
  model.add(transfer(1, 0xa0, 0x1000));
  model.add(transfer(2, 0xb0, 0x1038));
  model.add(transfer(2, 0xb0, 0x1040));  // another line
  model.add(transfer(1, 0xa0, 0x1008));
  EXPECT_THAT(model.instructions(), ElementsAre(0xa0, 0xb0));
  const Context after_one = context_of({kLcRd}), later = context_of({kLcRd, kRmRd});
  EXPECT_THAT(model.edges(), ElementsAre(edge(0, 0, 1, 0, 1, 0), edge(1, 0, 2, 0, 1, 1), edge(0, 0, 2, after_one, 1, 2),
                                         edge(2, 0, 1, later, 1, 3)));
}

TEST(TransferModel, adds_no_edge_if_a_thread_gets_its_own_line_again) {
  TransferModel model(5);
  model.add(transfer(1, 0xa0, 0x1000));
  model.add(transfer(1, 0xa8, 0x1000));
  EXPECT_EQ(model.edges().size(), 1u);
}

class LoadEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) / ("events-" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    ASSERT_TRUE(write_file((root_ / path).string(), text));
  }
  std::filesystem::path root_;
};

TEST_F(LoadEvents, finds_the_event_of_intel_with_its_leader) {
  put("cpu/type", "4\n");
  put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
  Result<LoadEvent> event = find_load_event(root_.string());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, 4u);
  EXPECT_EQ(event->config, 0x1cdu);
  EXPECT_FALSE(event->leader_config);
  put("cpu/events/mem-loads-aux", "event=0x03,umask=0x82\n");
  event = find_load_event(root_.string());
  ASSERT_TRUE(event);
  EXPECT_EQ(event->leader_config, 0x8203u);
}

TEST_F(LoadEvents, finds_the_event_of_amd) {
  put("ibs_op/type", "11\n");
  const Result<LoadEvent> event = find_load_event(root_.string());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, 11u);
}

TEST_F(LoadEvents, suggests_another_option_on_a_machine_without_load_events) {
  put("software/type", "1\n");
  const Result<LoadEvent> event = find_load_event(root_.string());
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().message, ::testing::HasSubstr("--native"));
}

}  // namespace
}  // namespace heddle::graph
