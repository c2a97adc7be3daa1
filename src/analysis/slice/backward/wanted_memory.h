#pragma once
// Going back through an execution: bytes whose last write is still to be found, and bytes that were overwritten by
// something relevant, where the accesses of other threads before it matter.
#include <array>
#include <cstdint>
#include <vector>

namespace heddle::slice {

class WantedMemory {
  static constexpr std::uint64_t kWord = 8;

 public:
  // Something relevant has read these bytes: it depends on the last write.
  void want_read(std::uint64_t address, std::uint64_t size);
  // Something relevant of this thread has written them: it depends on the last write and on the last read of each
  // thread since, as far as other threads made them.
  void want_overwritten(std::uint64_t address, std::uint64_t size, std::uint32_t thread);

  // An access comes, further back. True: something that was wanted depends on it. A write is the last one of its bytes.
  bool pass_write(std::uint64_t address, std::uint64_t size, std::uint32_t thread) {
    return may_be_wanted(address, size) && find_write(address, size, thread);
  }
  bool pass_read(std::uint64_t address, std::uint64_t size, std::uint32_t thread) {
    return may_be_wanted(address, size) && find_read(address, size, thread);
  }

  // Most words are not wanted, and a byte of the filter says so.
  bool may_be_wanted(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t first = address / kWord, last = (address + size - 1) / kWord;
    if (first == last) [[likely]]
      return may_be_wanted_at(address);
    return size != 0 && may_any_be_wanted(first, last);
  }
  // The word of this address, of which the low kAddressBits are enough.
  static constexpr unsigned kAddressBits = 36;
  bool may_be_wanted_at(std::uint64_t address) const { return may_be_wanted_at_place(filter_place(address)); }

  // The same for who asks for many addresses of a block of kFilterBlock bytes: what is so many bytes behind another has
  // a place that is so much larger.
  static constexpr std::uint64_t kFilterBlock = std::uint64_t{1} << 19;
  static std::uint64_t filter_place(std::uint64_t address) {
    constexpr std::uint64_t kSpread = 0x9e37 * kWord;  // two stacks with the same low bits have other places
    return address % kFilterBlock + address % (std::uint64_t{1} << kAddressBits) / kFilterBlock * kSpread;
  }
  bool may_be_wanted_at_place(std::uint64_t place) const { return filter_[place / kWord % kFilter] != 0; }
  // For what only reads: that matters only where something was overwritten.
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
    std::uint32_t readers;  // head of a list of those who have read it since
    std::uint8_t bytes;
  };
  struct Reader {
    std::uint32_t thread;
    std::uint32_t next;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t mix(std::uint64_t word) { return word * 0x9e3779b97f4a7c15; }
  static std::size_t filter_slot(std::uint64_t word) { return filter_place(word * kWord) / kWord % kFilter; }
  bool may_any_be_wanted(std::uint64_t first, std::uint64_t last) const;
  bool find_write(std::uint64_t address, std::uint64_t size, std::uint32_t thread);
  bool find_read(std::uint64_t address, std::uint64_t size, std::uint32_t thread);
  bool pass_write(Word& word, std::uint8_t bytes, std::uint32_t thread);
  bool pass_read(Word& word, std::uint8_t bytes, std::uint32_t thread);
  bool has_read(const Overwritten& entry, std::uint32_t thread) const;

  std::size_t slot_of(std::uint64_t number) const;
  Word* find(std::uint64_t number);
  Word& get(std::uint64_t number);
  void erase_if_done(Word& word);
  void grow();
  std::uint32_t make_overwritten(const Overwritten& entry);
  std::uint32_t make_reader(const Reader& reader);

  using Filter = std::array<std::uint8_t, kFilter>;  // words with a hash; 255: as many or more
  static void add_to(Filter& filter, std::uint64_t number) {
    std::uint8_t& count = filter[filter_slot(number)];
    if (count != 0xff) ++count;
  }
  static void take_from(Filter& filter, std::uint64_t number) {
    std::uint8_t& count = filter[filter_slot(number)];
    if (count != 0xff) --count;
  }

  Filter filter_{};              // of all words
  Filter overwritten_filter_{};  // of those of which something was overwritten
  std::vector<Word> words_;      // open addressing, a power of two
  std::size_t used_ = 0;
  std::vector<Overwritten> overwritten_ = {{}};
  std::vector<Reader> readers_ = {{}};
  std::uint32_t unused_overwritten_ = 0, unused_reader_ = 0;
};

}  // namespace heddle::slice
