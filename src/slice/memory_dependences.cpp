#include "slice/memory_dependences.h"

#include <algorithm>

namespace heddle::slice {

MemoryDependences::Page* MemoryDependences::find_page(std::uint64_t address) {
  const std::uint64_t number = address / (kWord * kWordsOfPage);
  if (number == last_number_) return last_page_;
  const auto found = pages_.find(number);
  if (found == pages_.end()) return nullptr;
  last_number_ = number;
  return last_page_ = found->second.get();
}

MemoryDependences::Page& MemoryDependences::page_of(std::uint64_t address) {
  if (Page* known = find_page(address)) return *known;
  const std::uint64_t number = address / (kWord * kWordsOfPage);
  last_number_ = number;
  last_page_ = (pages_[number] = std::make_unique<Page>()).get();
  return *last_page_;
}

std::uint32_t MemoryDependences::make_reader(const Reader& reader) {
  if (unused_reader_ == 0) {
    readers_.push_back(reader);
    return static_cast<std::uint32_t>(readers_.size() - 1);
  }
  const std::uint32_t index = unused_reader_;
  unused_reader_ = readers_[index].next;
  readers_[index] = reader;
  return index;
}

// From now on each byte of it is on its own.
void MemoryDependences::split(Cell& cell) {
  Bytes bytes;
  for (Cell& byte : bytes) {
    byte = {cell.writer, cell.writer_thread, 0};
    for (std::uint32_t at = cell.readers; at != 0; at = readers_[at].next)
      byte.readers = make_reader({readers_[at].node, readers_[at].thread, byte.readers});
  }
  cell = {kNoNode, kSplit, static_cast<std::uint32_t>(split_.size())};
  split_.push_back(bytes);
}

template <typename Visit>
void MemoryDependences::for_each_cell(std::uint64_t address, std::uint64_t size, bool only_known, Visit visit) {
  const std::uint64_t end = address + size;
  while (address < end) {
    const std::uint64_t word_end = std::min(end, (address / kWord + 1) * kWord);
    Page* page = only_known ? find_page(address) : &page_of(address);
    if (page == nullptr) {
      address = std::min(end, (address / (kWord * kWordsOfPage) + 1) * kWord * kWordsOfPage);
      continue;
    }
    Cell& cell = (*page)[address / kWord % kWordsOfPage];
    if (!cell.is_split() && word_end - address == kWord) {
      visit(cell);
    } else {
      if (!cell.is_split()) split(cell);
      for (std::uint64_t byte = address; byte < word_end; ++byte) visit(split_[cell.readers][byte % kWord]);
    }
    address = word_end;
  }
}

void MemoryDependences::note_read(Cell& cell, std::uint32_t thread, NodeId node, Dependences& found) {
  found.add(cell.writer);
  for (std::uint32_t at = cell.readers; at != 0; at = readers_[at].next) {
    if (readers_[at].thread != thread) continue;
    readers_[at].node = node;
    return;
  }
  cell.readers = make_reader({node, thread, cell.readers});
}

void MemoryDependences::note_write(Cell& cell, std::uint32_t thread, NodeId node, Dependences& found) {
  if (cell.writer_thread != thread) found.add(cell.writer);
  while (cell.readers != 0) {
    const std::uint32_t at = cell.readers;
    if (readers_[at].thread != thread) found.add(readers_[at].node);
    cell.readers = readers_[at].next;
    readers_[at].next = unused_reader_;
    unused_reader_ = at;
  }
  cell.writer = node;
  cell.writer_thread = thread;
}

void MemoryDependences::read(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node,
                             Dependences& found) {
  for_each_cell(address, size, false, [&](Cell& cell) { note_read(cell, thread, node, found); });
}

void MemoryDependences::write(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node,
                              Dependences& found) {
  for_each_cell(address, size, false, [&](Cell& cell) { note_write(cell, thread, node, found); });
}

void MemoryDependences::free(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node,
                             Dependences& found) {
  for_each_cell(address, size, true, [&](Cell& cell) { note_write(cell, thread, node, found); });
}

}  // namespace heddle::slice
