#pragma once
// Writes the sections of a production build: the control flow of its functions, and the addresses of their blocks and
// calls.
#include <algorithm>
#include <vector>

#include "abi/blocks.h"
#include "binary/sections/block_rows.h"
#include "tests/support/byte_writer.h"
#include "tests/support/elf_writer.h"

namespace heddle::test_support {

// A machine block with the points at its beginning, in order.
struct MachineBlock {
  std::uint64_t begin = 0, end = 0;
  std::vector<std::uint32_t> points;
};

struct ProductionFunction {
  binary::FunctionRow row;
  std::vector<MachineBlock> blocks;  // ascending
};

inline std::vector<std::uint8_t> block_row(const binary::FunctionRow& row) {
  ByteWriter body;
  for (const binary::BlockRow& block : row.blocks) {
    body.u32(block.successors.size());
    for (const std::uint32_t next : block.successors) body.u32(next);
    body.u32(static_cast<std::uint32_t>(block.loop + 1));
    body.u32(block.line);
  }
  for (const binary::CallRow& call : row.calls) {
    body.u32(call.block);
    body.u32(call.line);
  }
  for (const binary::LoopRow& loop : row.loops) {
    body.u32(loop.header);
    body.u32(static_cast<std::uint32_t>(loop.parent + 1));
    body.u32(loop.line);
  }
  for (const std::string* text : {&row.name, &row.source}) {
    body.bytes({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()});
    body.align(4);
  }
  ByteWriter whole;
  whole.u32(HEDDLE_BLOCKS_MAGIC);
  whole.u32(4 * HEDDLE_BLOCKS_HEAD_WORDS + body.size());
  for (const std::size_t count :
       {row.blocks.size(), row.calls.size(), row.loops.size(), row.name.size(), row.source.size()})
    whole.u32(count);
  whole.bytes(body.take());
  return whole.take();
}

inline std::vector<ElfSection> production_sections(const std::vector<ProductionFunction>& functions) {
  ByteWriter rows, names, probes, blocks;
  std::uint64_t number = 0;
  for (const ProductionFunction& function : functions) {
    rows.bytes(block_row(function.row));
    names.u64(++number);
    names.u64(0);
    names.uleb(function.row.name.size());
    names.bytes({reinterpret_cast<const std::uint8_t*>(function.row.name.data()), function.row.name.size()});
    std::size_t points = 0;
    for (const MachineBlock& block : function.blocks) points += block.points.size();
    probes.u64(number);
    probes.uleb(points);
    probes.uleb(0);
    blocks.u8(2);
    blocks.u8(0);
    blocks.u64(function.blocks.front().begin);
    blocks.uleb(function.blocks.size());
    std::uint64_t end = function.blocks.front().begin;
    for (const MachineBlock& block : function.blocks) {
      for (const std::uint32_t point : block.points) {
        probes.uleb(point + 1);
        probes.u8(0);
        probes.u64(block.begin);
      }
      blocks.uleb(0);
      blocks.uleb(block.begin - end);
      blocks.uleb(block.end - block.begin);
      blocks.uleb(0);
      end = block.end;
    }
  }
  return {{HEDDLE_SECTION_BLOCKS, rows.take()},
          {".pseudo_probe", probes.take()},
          {".pseudo_probe_desc", names.take()},
          {".llvm_bb_addr_map", blocks.take()}};
}

}  // namespace heddle::test_support
