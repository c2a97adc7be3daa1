#pragma once
#include <vector>

#include "trace/file/byte_source.h"
#include "trace/file/table_coder.h"
#include "trace/problem.h"

namespace heddle::trace {

// Where the chunks of a file are: from its index, or, when it has none or a damaged one, by going
// from chunk to chunk.
struct ChunkDirectory {
  std::vector<ChunkEntry> entries;  // in file order, the index's own chunks not among them
  std::vector<Problem> problems;
};

ChunkDirectory read_chunk_directory(ByteSource& source);

// The uncompressed payload, or why it cannot be had.
class Decompressor;
Result<std::string> read_chunk_payload(ByteSource& source, const ChunkEntry& entry, Decompressor& decompressor,
                                       std::string buffer);

}  // namespace heddle::trace
