#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/heap/layout.h"
#include "runtime/heap/runs.h"

namespace heddle::runtime::heap {

// Blocks that have units of their own. A freed one's pages go back to the kernel at once; its addresses wait in a
// quarantine that costs no memory.
class LargeBlocks {
 public:
  explicit constexpr LargeBlocks(Runs& runs) : runs_(runs) {}

  // Zeroed. REQUIRES: `alignment` is a power of two. nullptr: there is no room.
  std::byte* allocate(std::size_t size, std::size_t alignment, std::uint64_t ordinal);

  // REQUIRES: `head` is the first unit of a live large block.
  void release(std::uint32_t head);

  // Changes the size where the block is. False: there is no room behind it. REQUIRES: `size` > 0.
  bool resize(std::uint32_t head, std::size_t size);

  // Lets the addresses in quarantine be used. False: there are none.
  bool empty_quarantine();

  static std::size_t block_bytes(std::uint32_t head);

 private:
  static constexpr std::uint32_t kQuarantineBlocks = 16;

  void release_oldest();

  Runs& runs_;
  std::uint32_t oldest_ = 0;
  std::uint32_t quarantined_ = 0;
  std::array<std::uint32_t, kQuarantineBlocks> quarantine_{};
};

}  // namespace heddle::runtime::heap
