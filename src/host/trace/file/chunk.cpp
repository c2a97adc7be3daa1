#include "trace/file/chunk.h"

#include "base/hash.h"
#include "support/bytes.h"

namespace heddle::trace {
namespace {

constexpr std::string_view kFooterMagic = "HTRACEND";

bool known(ChunkKind kind) { return kind >= ChunkKind::Header && kind <= ChunkKind::Failure; }

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  EventHash hash;
  hash.add(bytes.size());
  std::size_t at = 0;
  for (std::uint64_t word; bytes.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    hash.add(word);
  }
  if (at < bytes.size()) {
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    hash.add(rest);
  }
  return hash.value();
}

std::string make_trace_head() {
  std::string out(kTraceMagic);
  put_fixed<std::uint32_t>(out, kTraceVersion);
  put_fixed<std::uint32_t>(out, 0);
  return out;
}

std::optional<std::uint32_t> parse_trace_head(std::string_view bytes) {
  if (bytes.size() < kTraceHeadSize || !bytes.starts_with(kTraceMagic)) return std::nullopt;
  ByteReader reader(bytes.substr(kTraceMagic.size()));
  const auto version = reader.fixed<std::uint32_t>();
  if (reader.fixed<std::uint32_t>() != 0) return std::nullopt;
  return version;
}

void put_chunk_head(const ChunkHead& head, std::string& out) {
  const std::size_t begin = out.size();
  put_fixed<std::uint32_t>(out, kChunkMagic);
  put_fixed<std::uint32_t>(out, static_cast<std::uint32_t>(head.kind));
  put_fixed<std::uint32_t>(out, head.raw_size);
  put_fixed<std::uint32_t>(out, head.stored_size);
  put_fixed<std::uint32_t>(out, head.event_count);
  put_fixed<std::uint32_t>(out, head.first_thread);
  put_fixed<std::uint64_t>(out, head.first_step);
  put_fixed<std::uint64_t>(out, head.payload_checksum);
  put_fixed<std::uint64_t>(out, checksum(std::string_view(out).substr(begin)));
}

std::optional<ChunkHead> parse_chunk_head(std::string_view bytes) {
  if (bytes.size() < kChunkHeadSize) return std::nullopt;
  ByteReader reader(bytes);
  if (reader.fixed<std::uint32_t>() != kChunkMagic) return std::nullopt;
  ChunkHead head;
  const auto kind = reader.fixed<std::uint32_t>();
  head.kind = static_cast<ChunkKind>(kind);
  head.raw_size = reader.fixed<std::uint32_t>();
  head.stored_size = reader.fixed<std::uint32_t>();
  head.event_count = reader.fixed<std::uint32_t>();
  head.first_thread = reader.fixed<std::uint32_t>();
  head.first_step = reader.fixed<std::uint64_t>();
  head.payload_checksum = reader.fixed<std::uint64_t>();
  if (reader.fixed<std::uint64_t>() != checksum(bytes.substr(0, kChunkHeadSize - 8))) return std::nullopt;
  if (kind > 0xff || !known(head.kind) || head.raw_size > kRawSizeMax || head.stored_size > kStoredSizeMax ||
      head.event_count > kEventsPerChunk || head.first_step + head.event_count < head.first_step) {
    return std::nullopt;
  }
  return head;
}

std::string make_footer(std::uint64_t index_offset) {
  std::string out;
  put_fixed<std::uint64_t>(out, index_offset);
  put_fixed<std::uint64_t>(out, checksum(out));
  return out += kFooterMagic;
}

std::optional<std::uint64_t> parse_footer(std::string_view bytes) {
  if (bytes.size() != kFooterSize || !bytes.ends_with(kFooterMagic)) return std::nullopt;
  ByteReader reader(bytes);
  const auto offset = reader.fixed<std::uint64_t>();
  if (reader.fixed<std::uint64_t>() != checksum(bytes.substr(0, 8))) return std::nullopt;
  return offset;
}

}  // namespace heddle::trace
