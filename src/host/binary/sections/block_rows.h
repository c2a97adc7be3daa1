#pragma once
// The control flow of functions, as the compiler recorded it when it numbered their blocks (abi/blocks.h).
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::binary {

inline constexpr std::int32_t kNoLoop = -1;

struct BlockRow {
  std::vector<std::uint32_t> successors;
  std::int32_t loop = kNoLoop;  // innermost
  std::uint32_t line = 0;       // of the last instruction; 0: unknown
};

struct CallRow {
  std::uint32_t block = 0;
  std::uint32_t line = 0;
};

struct LoopRow {
  std::uint32_t header = 0;
  std::int32_t parent = kNoLoop;
  std::uint32_t line = 0;
};

struct FunctionRow {
  std::string name;    // linkage name
  std::string source;  // file name; distinguishes functions of one name that are local to their files
  std::vector<BlockRow> blocks;
  std::vector<CallRow> calls;
  std::vector<LoopRow> loops;
  std::uint64_t address = 0;  // of this row, in the file's own address space

  std::uint32_t point_count() const { return static_cast<std::uint32_t>(blocks.size() + calls.size()); }
  bool is_block(std::uint32_t point) const { return point < blocks.size(); }
  std::uint32_t block_of(std::uint32_t point) const {
    return is_block(point) ? point : calls[point - blocks.size()].block;
  }
  std::uint32_t line_of(std::uint32_t point) const {
    return is_block(point) ? blocks[point].line : calls[point - blocks.size()].line;
  }
};

// All block rows of an ELF file.
class BlockTable {
 public:
  // `how_to_build` completes the error for a file without rows: "build it with ...".
  static Result<BlockTable> read(const std::string& path, const std::string& how_to_build);

  const std::vector<FunctionRow>& functions() const { return functions_; }
  // nullptr: unknown. `source` selects among functions of one name.
  const FunctionRow* find(const std::string& name, const std::string& source) const;
  const FunctionRow* at(std::uint64_t row_address) const;

 private:
  std::vector<FunctionRow> functions_;
  std::multimap<std::string, std::size_t> by_name_;
  std::map<std::uint64_t, std::size_t> by_address_;
};

}  // namespace heddle::binary
