#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/heap/layout.h"
#include "runtime/heap/runs.h"

namespace heddle::runtime::heap {

// Blocks with units of their own. The pages of a freed block return to the kernel immediately; its addresses stay in a
// quarantine, which costs no memory.
class LargeBlocks {
 public:
  explicit constexpr LargeBlocks(Runs& runs) : runs_(runs) {}

  // Returns zeroed memory, or nullptr if there is not enough. REQUIRES: `alignment` is a power of two.
  std::byte* allocate(std::size_t size, std::size_t alignment, std::uint64_t ordinal);

  // REQUIRES: `head` is the first unit of a live large block.
  void release(std::uint32_t head);

  // Changes the size in place. Returns false if the units behind the block are in use. REQUIRES: `size` > 0.
  bool resize(std::uint32_t head, std::size_t size);

  // Makes the addresses in quarantine available. Returns false if there are none.
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
