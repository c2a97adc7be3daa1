#pragma once
// Who wrote and read each byte last: dependences between consecutive accesses to one location.
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "slice/dependence_graph.h"

namespace heddle::slice {

class MemoryDependences {
 public:
  // Adds what the access depends on to `found`, and remembers it as `node`. A read depends on the last write; a write, on
  // the last write and the reads since then as far as other threads made them.
  void read(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node, Dependences& found);
  void write(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node, Dependences& found);
  // As if it were written, where anybody has been before: a later use depends on it.
  void free(std::uint64_t address, std::uint64_t size, std::uint32_t thread, NodeId node, Dependences& found);

 private:
  struct Cell {
    NodeId writer = kNoNode;
    std::uint32_t writer_thread = 0;
    std::uint32_t readers = 0;  // head of a list; of a split cell the number of its bytes
    bool is_split() const { return writer_thread == kSplit; }
  };
  struct Reader {
    NodeId node;
    std::uint32_t thread;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kSplit = ~std::uint32_t{0};
  static constexpr std::uint64_t kWord = 4;          // most accesses are words
  static constexpr std::uint64_t kWordsOfPage = 1024;
  using Page = std::array<Cell, kWordsOfPage>;
  using Bytes = std::array<Cell, kWord>;

  Page& page_of(std::uint64_t address);
  Page* find_page(std::uint64_t address);
  void split(Cell& cell);
  void note_read(Cell& cell, std::uint32_t thread, NodeId node, Dependences& found);
  void note_write(Cell& cell, std::uint32_t thread, NodeId node, Dependences& found);
  std::uint32_t make_reader(const Reader& reader);
  template <typename Visit>
  void for_each_cell(std::uint64_t address, std::uint64_t size, bool only_known, Visit visit);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
  std::vector<Bytes> split_;
  std::vector<Reader> readers_ = {Reader{}};
  std::uint32_t unused_reader_ = 0;
};

}  // namespace heddle::slice
