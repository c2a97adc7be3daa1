#include "slice/backward/wanted_memory.h"

#include <algorithm>

namespace heddle::slice {
namespace {

constexpr std::uint64_t kWord = 8;

// Calls visit(number of the word, a bit per byte).
template <typename Visit>
void for_each_word(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t end = address + size;
  while (address < end) {
    const std::uint64_t word = address / kWord, next = std::min(end, (word + 1) * kWord);
    const std::uint64_t first = address % kWord, count = next - address;
    visit(word, static_cast<std::uint8_t>(((1u << count) - 1) << first));
    address = next;
  }
}

}  // namespace

WantedMemory::WantedMemory() : words_(std::size_t{1} << 12) {}

bool WantedMemory::may_any_be_wanted(std::uint64_t first, std::uint64_t last) const {
  for (std::uint64_t word = first; word <= last; ++word)
    if (filter_[filter_slot(word)] != 0) return true;
  return false;
}

std::size_t WantedMemory::slot_of(std::uint64_t number) const {
  const std::size_t mask = words_.size() - 1;
  std::size_t slot = mix(number) >> 20 & mask;
  while (words_[slot].number != kFree && words_[slot].number != number) slot = (slot + 1) & mask;
  return slot;
}

WantedMemory::Word* WantedMemory::find(std::uint64_t number) {
  Word& word = words_[slot_of(number)];
  return word.number == kFree ? nullptr : &word;
}

WantedMemory::Word& WantedMemory::get(std::uint64_t number) {
  if (2 * used_ >= words_.size()) grow();
  Word& word = words_[slot_of(number)];
  if (word.number == kFree) {
    word.number = number;
    ++used_;
    add_to(filter_, number);
  }
  return word;
}

void WantedMemory::grow() {
  std::vector<Word> old(words_.size() * 2);
  old.swap(words_);
  for (const Word& word : old)
    if (word.number != kFree) words_[slot_of(word.number)] = word;
}

void WantedMemory::erase_if_done(Word& word) {
  if (word.read != 0 || word.overwritten != 0) return;
  take_from(filter_, word.number);
  --used_;
  // Moves up the following words that could not be found otherwise.
  const std::size_t mask = words_.size() - 1;
  auto hole = static_cast<std::size_t>(&word - words_.data());
  for (std::size_t at = (hole + 1) & mask; words_[at].number != kFree; at = (at + 1) & mask) {
    const std::size_t home = mix(words_[at].number) >> 20 & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    words_[hole] = words_[at];
    hole = at;
  }
  words_[hole] = {};
}

void WantedMemory::want_read(std::uint64_t address, std::uint64_t size) {
  for_each_word(address, size, [&](std::uint64_t number, std::uint8_t bytes) { get(number).read |= bytes; });
}

void WantedMemory::want_overwritten(std::uint64_t address, std::uint64_t size, std::uint32_t thread) {
  for_each_word(address, size, [&](std::uint64_t number, std::uint8_t bytes) {
    Word& word = get(number);
    if (word.overwritten == 0) add_to(overwritten_filter_, number);
    word.overwritten = overwritten_.add({thread, word.overwritten, 0, bytes});
  });
}

bool WantedMemory::pass_write(Word& word, std::uint8_t bytes, std::uint32_t thread) {
  bool wanted = (word.read & bytes) != 0;
  word.read &= static_cast<std::uint8_t>(~bytes);
  const bool was_overwritten = word.overwritten != 0;
  for (std::uint32_t* at = &word.overwritten; *at != 0;) {
    Overwritten& entry = overwritten_[*at];
    if ((entry.bytes & bytes) != 0 && entry.thread != thread) wanted = true;
    entry.bytes &= static_cast<std::uint8_t>(~bytes);
    if (entry.bytes != 0) {
      at = &entry.next;
      continue;
    }
    for (std::uint32_t reader = entry.readers; reader != 0;) reader = readers_.remove(reader);
    *at = overwritten_.remove(*at);
  }
  if (was_overwritten && word.overwritten == 0) take_from(overwritten_filter_, word.number);
  erase_if_done(word);
  return wanted;
}

bool WantedMemory::has_read(const Overwritten& entry, std::uint32_t thread) const {
  for (std::uint32_t reader = entry.readers; reader != 0; reader = readers_[reader].next)
    if (readers_[reader].thread == thread) return true;
  return false;
}

bool WantedMemory::pass_read(Word& word, std::uint8_t bytes, std::uint32_t thread) {
  bool wanted = false;
  for (std::uint32_t at = word.overwritten; at != 0; at = overwritten_[at].next) {
    const Overwritten entry = overwritten_[at];
    const auto common = static_cast<std::uint8_t>(entry.bytes & bytes);
    if (common == 0 || entry.thread == thread || has_read(entry, thread)) continue;
    wanted = true;
    // The pass has not yet reached the thread's last read of the other bytes.
    if (const auto rest = static_cast<std::uint8_t>(entry.bytes & ~bytes); rest != 0) {
      std::uint32_t readers = 0;
      for (std::uint32_t reader = entry.readers; reader != 0; reader = readers_[reader].next)
        readers = readers_.add({readers_[reader].thread, readers});
      const std::uint32_t copy = overwritten_.add({entry.thread, entry.next, readers, rest});
      overwritten_[at].next = copy;
      overwritten_[at].bytes = common;
    }
    const std::uint32_t reader = readers_.add({thread, entry.readers});
    overwritten_[at].readers = reader;
  }
  return wanted;
}

bool WantedMemory::find(std::uint64_t address, std::uint64_t size, std::uint32_t thread, bool writes) {
  bool wanted = false;
  for_each_word(address, size, [&](std::uint64_t number, std::uint8_t bytes) {
    if (!may_be_wanted_at(number * kWord)) return;
    if (Word* word = find(number))
      wanted = (writes ? pass_write(*word, bytes, thread) : pass_read(*word, bytes, thread)) || wanted;
  });
  return wanted;
}

}  // namespace heddle::slice
