#pragma once
// Finds the elements of libstdc++ containers in an image. Checks every address and length, because the image may be
// damaged.
#include <cstdint>
#include <optional>

#include "binary/debug_info/type_table.h"
#include "binary/image/core_image.h"

namespace heddle::binary {

// Walks the nodes of one container.
class Nodes {
 public:
  Nodes(const CoreImage& image, Container container, std::uint64_t object) : image_(image), container_(container) {
    head_ = object + (container == Container::Tree ? 8 : container == Container::Hash ? 16 : 0);
    image_.read(head_ + (container == Container::Tree ? 16 : 0), at_);
    if (at_ == head_) at_ = 0;
  }
  bool done() const { return at_ == 0; }
  std::uint64_t node() const { return at_; }
  std::uint64_t value() const {
    return at_ + (container_ == Container::Tree ? 32 : container_ == Container::List ? 16 : 8);
  }
  void advance() {
    if (container_ == Container::Tree)
      advance_in_tree();
    else
      at_ = word(at_);
    if (at_ == head_ || at_ == passed_) at_ = 0;
    if (++steps_ != steps_until_mark_) return;
    steps_until_mark_ *= 2;
    passed_ = at_;
  }

 private:
  std::uint64_t word(std::uint64_t address) const {
    std::uint64_t value = 0;
    image_.read(address, value);
    return value;
  }
  void advance_in_tree() {
    constexpr std::uint64_t kParent = 8, kLeft = 16, kRight = 24;
    constexpr unsigned kHeightMax = 256;  // beyond it is damage
    std::uint64_t next = word(at_ + kRight);
    if (next != 0) {
      for (unsigned i = 0; i < kHeightMax && word(next + kLeft) != 0; ++i) next = word(next + kLeft);
      at_ = next;
      return;
    }
    std::uint64_t parent = word(at_ + kParent);
    for (unsigned i = 0; i < kHeightMax && parent != 0 && at_ == word(parent + kRight); ++i) {
      at_ = parent;
      parent = word(parent + kParent);
    }
    if (word(at_ + kRight) != parent) at_ = parent;
  }

  const CoreImage& image_;
  Container container_;
  std::uint64_t head_ = 0;
  std::uint64_t at_ = 0;
  // Brent's algorithm: the nodes of a damaged container may form a cycle, which then reaches `passed_` again.
  std::uint64_t passed_ = 0;
  std::uint64_t steps_ = 0, steps_until_mark_ = 1;
};

// The elements of a std::deque. Its map holds the addresses of blocks of 512 bytes, or of one larger element each.
class DequeElements {
 public:
  DequeElements(const CoreImage& image, std::uint64_t object, std::uint64_t element_size)
      : image_(image), size_(element_size), per_block_(element_size < kBlock ? kBlock / element_size : 1) {
    constexpr std::uint64_t kStart = 16, kFinish = 48, kFirst = 8, kNode = 24;
    std::uint64_t current = 0, first = 0, end = 0, end_first = 0, end_node = 0;
    if (!image.read(object + kStart, current) || !image.read(object + kStart + kFirst, first) ||
        !image.read(object + kStart + kNode, first_node_) || !image.read(object + kFinish, end) ||
        !image.read(object + kFinish + kFirst, end_first) || !image.read(object + kFinish + kNode, end_node) ||
        current < first || end < end_first || end_node < first_node_)
      return;
    skipped_ = (current - first) / size_;
    const std::uint64_t all = (end_node - first_node_) / 8 * per_block_ + (end - end_first) / size_;
    if (all >= skipped_) count_ = all - skipped_;
  }
  std::uint64_t count() const { return count_; }
  // 0: unknown.
  std::uint64_t at(std::uint64_t index) const {
    std::uint64_t block = 0;
    const std::uint64_t place = index + skipped_;
    if (!image_.read(first_node_ + place / per_block_ * 8, block) || block == 0) return 0;
    return block + place % per_block_ * size_;
  }
  std::optional<std::uint64_t> index_of(std::uint64_t address) const {
    for (std::uint64_t index = 0; index < count_; index += per_block_ - (index + skipped_) % per_block_) {
      const std::uint64_t first = at(index);
      const std::uint64_t index_in_block = (address - first) / size_;
      if (address >= first && index_in_block < per_block_ - (index + skipped_) % per_block_)
        return index + index_in_block;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kBlock = 512;
  const CoreImage& image_;
  std::uint64_t size_, per_block_;
  std::uint64_t first_node_ = 0;
  std::uint64_t skipped_ = 0;  // free places before the first element
  std::uint64_t count_ = 0;
};

}  // namespace heddle::binary
