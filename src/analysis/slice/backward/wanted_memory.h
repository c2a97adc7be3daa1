#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::slice {

// The memory state of the backward pass, per byte. A byte is wanted in one of two ways:
// - read: a relevant event has read it, so the last write before is relevant;
// - overwritten: a relevant write of a thread has overwritten it, so the last write before, and the last read of each
// thread
//   in between, are relevant if other threads made them.
//
// Words with a wanted byte are in a hash table with open addressing. Most accesses touch no such word, so a filter with
// a counter per hash answers first; a second filter answers for reads, which matter only where a byte is overwritten.
// The filters are arrays of 64 KiB, which fit the second-level cache.
class WantedMemory {
  static constexpr std::uint64_t kWord = 8;

 public:
  // Records a relevant read of these bytes.
  void want_read(std::uint64_t address, std::uint64_t size);
  // Records a relevant write of these bytes by this thread.
  void want_overwritten(std::uint64_t address, std::uint64_t size, std::uint32_t thread);

  // The pass reaches an earlier access. True if it is relevant. After a write its bytes are no longer wanted.
  bool pass_write(std::uint64_t address, std::uint64_t size, std::uint32_t thread) {
    return may_be_wanted(address, size) && find(address, size, thread, /*writes=*/true);
  }
  bool pass_read(std::uint64_t address, std::uint64_t size, std::uint32_t thread) {
    return may_be_wanted(address, size) && find(address, size, thread, /*writes=*/false);
  }

  // False only if no byte is wanted.
  bool may_be_wanted(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t first = address / kWord, last = (address + size - 1) / kWord;
    if (first == last) [[likely]]
      return may_be_wanted_at(address);
    return size != 0 && may_any_be_wanted(first, last);
  }
  // The same for the word at this address. Only the low kAddressBits of addresses count.
  static constexpr unsigned kAddressBits = 36;
  bool may_be_wanted_at(std::uint64_t address) const { return may_be_wanted_at_place(filter_place(address)); }

  // The same for many addresses of one block of kFilterBlock bytes: there, places differ by as much as addresses.
  static constexpr std::uint64_t kFilterBlock = std::uint64_t{1} << 19;
  static std::uint64_t filter_place(std::uint64_t address) {
    constexpr std::uint64_t kSpread = 0x9e37 * kWord;  // separates stacks with the same low address bits
    return address % kFilterBlock + address % (std::uint64_t{1} << kAddressBits) / kFilterBlock * kSpread;
  }
  bool may_be_wanted_at_place(std::uint64_t place) const { return filter_[place / kWord % kFilter] != 0; }
  // For a read, which matters only if a byte was overwritten.
  bool may_be_overwritten_at_place(std::uint64_t place) const {
    return overwritten_filter_[place / kWord % kFilter] != 0;
  }

  WantedMemory();

 private:
  static constexpr std::size_t kFilter = kFilterBlock / kWord;
  struct Word {
    std::uint64_t number = kFree;   // address / kWord
    std::uint32_t overwritten = 0;  // head of a list
    std::uint8_t read = 0;          // a bit per byte
  };
  struct Overwritten {
    std::uint32_t thread;
    std::uint32_t next;
    std::uint32_t readers;  // head of a list: threads that have read it since
    std::uint8_t bytes;
  };
  struct Reader {
    std::uint32_t thread;
    std::uint32_t next;
  };
  // Nodes of linked lists, by index; 0 ends a list.
  template <typename Node>
  class Nodes {
   public:
    Node& operator[](std::uint32_t index) { return nodes_[index]; }
    const Node& operator[](std::uint32_t index) const { return nodes_[index]; }
    std::uint32_t add(const Node& node) {
      if (unused_ == 0) {
        nodes_.push_back(node);
        return static_cast<std::uint32_t>(nodes_.size() - 1);
      }
      const std::uint32_t index = std::exchange(unused_, nodes_[unused_].next);
      nodes_[index] = node;
      return index;
    }
    // Returns the next node.
    std::uint32_t remove(std::uint32_t index) {
      return std::exchange(nodes_[index].next, std::exchange(unused_, index));
    }

   private:
    std::vector<Node> nodes_ = {{}};
    std::uint32_t unused_ = 0;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t mix(std::uint64_t word) { return word * 0x9e3779b97f4a7c15; }
  static std::size_t filter_slot(std::uint64_t word) { return filter_place(word * kWord) / kWord % kFilter; }
  bool may_any_be_wanted(std::uint64_t first, std::uint64_t last) const;
  bool find(std::uint64_t address, std::uint64_t size, std::uint32_t thread, bool writes);
  bool pass_write(Word& word, std::uint8_t bytes, std::uint32_t thread);
  bool pass_read(Word& word, std::uint8_t bytes, std::uint32_t thread);
  bool has_read(const Overwritten& entry, std::uint32_t thread) const;

  std::size_t slot_of(std::uint64_t number) const;
  Word* find(std::uint64_t number);
  Word& get(std::uint64_t number);
  void erase_if_done(Word& word);
  void grow();

  using Filter = std::array<std::uint8_t, kFilter>;  // number of words by hash; 255: or more
  static void add_to(Filter& filter, std::uint64_t number) {
    std::uint8_t& count = filter[filter_slot(number)];
    if (count != 0xff) ++count;
  }
  static void take_from(Filter& filter, std::uint64_t number) {
    std::uint8_t& count = filter[filter_slot(number)];
    if (count != 0xff) --count;
  }

  Filter filter_{};              // of all words
  Filter overwritten_filter_{};  // of words with an overwritten byte
  std::vector<Word> words_;      // open addressing, a power of two
  std::size_t used_ = 0;
  Nodes<Overwritten> overwritten_;
  Nodes<Reader> readers_;
};

}  // namespace heddle::slice
