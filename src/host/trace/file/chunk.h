#pragma once
// The frame of a trace file (docs/trace_format.md): a head, then chunks that can be read independently.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::trace {

inline constexpr std::string_view kTraceMagic{"\x89HTRACE\n", 8};
inline constexpr std::uint32_t kTraceVersion = 1;
inline constexpr std::size_t kTraceHeadSize = 16;
inline constexpr std::size_t kChunkHeadSize = 48;
inline constexpr std::size_t kFooterSize = 24;
inline constexpr std::uint32_t kChunkMagic = 0x4b4e4348;  // "HCNK"

inline constexpr std::uint32_t kEventsPerChunk = 1u << 17;
// Limits the memory of a reader. The largest events take 40 bytes each before compression.
inline constexpr std::uint32_t kRawSizeMax = 1u << 24;
inline constexpr std::uint32_t kStoredSizeMax = kRawSizeMax + (1u << 16);

enum class ChunkKind : std::uint8_t {
  Header = 1,
  Modules = 2,
  Sites = 3,
  Threads = 4,
  Events = 5,
  Index = 6,
  Failure = 7
};

struct ChunkHead {
  ChunkKind kind{};
  std::uint32_t raw_size = 0;
  std::uint32_t stored_size = 0;
  std::uint32_t event_count = 0;   // 0 unless kind is Events
  std::uint64_t first_step = 0;    // number of events in all earlier chunks
  std::uint32_t first_thread = 0;  // the running thread at first_step
  std::uint64_t payload_checksum = 0;
  bool operator==(const ChunkHead&) const = default;
};

// Any change of one aligned 8-byte word changes the sum.
std::uint64_t checksum(std::string_view bytes);

std::string make_trace_head();
// The version; nullopt if `bytes` is not the head of a trace.
std::optional<std::uint32_t> parse_trace_head(std::string_view bytes);

void put_chunk_head(const ChunkHead& head, std::string& out);
// nullopt if the head is damaged or exceeds the limits above.
std::optional<ChunkHead> parse_chunk_head(std::string_view bytes);

// The last bytes of a finished file, with the offset of the first index chunk.
std::string make_footer(std::uint64_t index_offset);
std::optional<std::uint64_t> parse_footer(std::string_view bytes);

}  // namespace heddle::trace
