#pragma once
#include <vector>

#include "trace/file/byte_source.h"
#include "trace/file/table_coder.h"
#include "trace/problem.h"

namespace heddle::trace {

// The positions of the chunks of a file, from its index. Without a valid index they are found by reading the chunk
// heads one after another, which also finds the next chunk after damaged bytes.
struct ChunkDirectory {
  std::vector<ChunkEntry> entries;  // in file order, without the index chunks
  std::vector<Problem> problems;
};

ChunkDirectory read_chunk_directory(ByteSource& source);

class Decompressor;
// The uncompressed payload. `buffer` is reused for it.
Result<std::string> read_chunk_payload(ByteSource& source, const ChunkEntry& entry, Decompressor& decompressor,
                                       std::string buffer);

}  // namespace heddle::trace
