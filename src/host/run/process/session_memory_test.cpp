#include "run/process/session_memory.h"

#include <gtest/gtest.h>

namespace heddle::run {
namespace {

constexpr std::uint64_t kRingWords = 1024;

SessionMemory create_memory() {
  SessionInputs inputs;
  inputs.ring_words = kRingWords;
  Result<SessionMemory> memory = SessionMemory::create(inputs);
  EXPECT_TRUE(memory.ok());
  return std::move(*memory);
}

// Publishes words as the program does, without writing them.
void publish(SessionMemory& memory, std::uint64_t words) {
  memory.session().ring.written.fetch_add(words);
  memory.session().ring.published.fetch_add(words);
}

TEST(SessionMemory, readable_words_come_in_pieces_of_the_ring) {
  SessionMemory memory = create_memory();
  EXPECT_TRUE(memory.readable().empty());
  publish(memory, kRingWords);
  std::uint64_t read = 0;
  while (!memory.readable().empty()) {
    const std::size_t piece = memory.readable().size();
    EXPECT_LE(piece, kRingWords / 8);
    memory.release(piece);
    read += piece;
    EXPECT_EQ(memory.session().ring.read.load(), read);
  }
  EXPECT_EQ(read, kRingWords);
}

TEST(SessionMemory, a_reader_is_behind_while_half_of_the_ring_is_unread) {
  SessionMemory memory = create_memory();
  EXPECT_FALSE(memory.is_behind());
  publish(memory, kRingWords / 2);
  EXPECT_TRUE(memory.is_behind());
  memory.release(1);
  EXPECT_FALSE(memory.is_behind());
}

}  // namespace
}  // namespace heddle::run
