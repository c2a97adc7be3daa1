#include "trace/file/chunk_directory.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "support/bytes.h"
#include "trace/file/chunk.h"
#include "trace/file/compression.h"

namespace heddle::trace {
namespace {

constexpr std::size_t kScanBlockSize = 1u << 16;

std::optional<ChunkHead> read_chunk_head(ByteSource& source, std::uint64_t offset) {
  std::string bytes;
  source.read(offset, kChunkHeadSize, bytes);
  return parse_chunk_head(bytes);
}

// Steps and offsets never decrease in an undamaged file.
bool in_order(const std::vector<ChunkEntry>& entries, std::uint64_t end) {
  std::uint64_t offset = kTraceHeadSize;
  std::uint64_t step = 0;
  for (const ChunkEntry& entry : entries) {
    const std::uint64_t size = kChunkHeadSize + std::uint64_t{entry.head.stored_size};
    if (entry.offset < offset || entry.offset > end || end - entry.offset < size || entry.head.first_step < step) {
      return false;
    }
    offset = entry.offset + size;
    step = entry.head.first_step + entry.head.event_count;
  }
  return true;
}

std::optional<std::vector<ChunkEntry>> read_index(ByteSource& source) {
  if (source.size() < kTraceHeadSize + kFooterSize) return std::nullopt;
  const std::uint64_t footer_offset = source.size() - kFooterSize;
  std::string bytes;
  source.read(footer_offset, kFooterSize, bytes);
  const std::optional<std::uint64_t> index_offset = parse_footer(bytes);
  if (!index_offset) return std::nullopt;
  std::vector<ChunkEntry> entries;
  Decompressor decompressor;
  std::uint64_t at = *index_offset;
  while (at < footer_offset) {
    const std::optional<ChunkHead> head = read_chunk_head(source, at);
    if (!head || head->kind != ChunkKind::Index) return std::nullopt;
    const Result<std::string> payload = read_chunk_payload(source, {at, *head}, decompressor, {});
    std::vector<ChunkEntry> more;
    if (!payload || !parse_index(*payload, more)) return std::nullopt;
    entries.insert(entries.end(), more.begin(), more.end());
    at += kChunkHeadSize + head->stored_size;
  }
  if (at != footer_offset || !in_order(entries, *index_offset)) return std::nullopt;
  return entries;
}

// The offset of the first chunk at or after `offset`; the size of the source if there is none.
std::uint64_t find_chunk(ByteSource& source, std::uint64_t offset) {
  std::string magic;
  put_fixed(magic, kChunkMagic);
  std::string block;
  for (;; offset += kScanBlockSize) {
    // Blocks overlap, so that each head lies in one block.
    source.read(offset, kScanBlockSize + kChunkHeadSize - 1, block);
    if (block.size() < kChunkHeadSize) return source.size();
    for (std::size_t at = block.find(magic); at < kScanBlockSize; at = block.find(magic, at + 1)) {
      if (parse_chunk_head(std::string_view(block).substr(at))) return offset + at;
    }
  }
}

ChunkDirectory walk_chunks(ByteSource& source) {
  ChunkDirectory directory;
  const std::uint64_t end = source.size();
  std::uint64_t at = kTraceHeadSize;
  std::uint64_t steps = 0;
  bool at_the_end = false;
  while (at < end) {
    const std::optional<ChunkHead> head = read_chunk_head(source, at);
    if (head && head->first_step >= steps) {
      const std::uint64_t size = kChunkHeadSize + std::uint64_t{head->stored_size};
      if (end - at < size) break;
      if (head->kind == ChunkKind::Index)
        at_the_end = true;
      else
        directory.entries.push_back({at, *head});
      at += size;
      steps = head->first_step + head->event_count;
      continue;
    }
    std::string rest;
    source.read(at, kFooterSize + 1, rest);
    if (at_the_end && rest.size() <= kFooterSize) break;
    const std::uint64_t next = find_chunk(source, at + 1);
    if (next == end && end - at < kChunkHeadSize) break;
    directory.problems.push_back({fmt::format("bytes {} to {} are damaged and were skipped", at, next)});
    at = next;
  }
  if (at < end && !at_the_end) {
    directory.problems.push_back({fmt::format("the file is cut short after byte {}, inside a chunk", at), true});
  } else if (directory.problems.empty()) {
    directory.problems.push_back({"the file has no index: its recorder was stopped, or the end is damaged", true});
  }
  return directory;
}

}  // namespace

Result<std::string> read_chunk_payload(ByteSource& source, const ChunkEntry& entry, Decompressor& decompressor,
                                       std::string buffer) {
  const auto damaged = [&] {
    const std::uint64_t first = entry.head.first_step;
    const std::uint64_t count = entry.head.event_count;
    const std::string lost = count == 0 ? "" : fmt::format(": steps {} to {} are missing", first, first + count - 1);
    return Error{fmt::format("the chunk at byte {} is damaged{}", entry.offset, lost)};
  };
  std::string stored;
  source.read(entry.offset, kChunkHeadSize + entry.head.stored_size, stored);
  const std::optional<ChunkHead> head = parse_chunk_head(stored);
  if (!head || *head != entry.head || stored.size() != kChunkHeadSize + entry.head.stored_size) return damaged();
  const std::string_view frame = std::string_view(stored).substr(kChunkHeadSize);
  if (checksum(frame) != head->payload_checksum) return damaged();
  if (!decompressor.decompress(frame, head->raw_size, buffer)) return damaged();
  return buffer;
}

ChunkDirectory read_chunk_directory(ByteSource& source) {
  if (std::optional<std::vector<ChunkEntry>> entries = read_index(source)) return {std::move(*entries), {}};
  return walk_chunks(source);
}

}  // namespace heddle::trace
