// Reads any bytes as a clip, compressed or not. A clip that parses must be equal after writing and reading.
#include <cstdint>
#include <string_view>

#include "clip/clip_reader.h"
#include "clip/clip_writer.h"
#include "support/check.h"
#include "trace/file/compression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  trace::Decompressed decompressed;
  if (trace::is_compressed_file(text)) {
    decompressed = trace::decompress_file(text, std::size_t{1} << 20);
    text = decompressed.bytes;
  }
  const Result<clip::ClipReading> reading = clip::parse_clip(text, "input");
  if (!reading.ok()) return 0;
  HEDDLE_CHECK(reading->clip.end.has_value() || reading->problems.size() == 1);
  const Result<clip::ClipReading> again = clip::parse_clip(clip::format_clip(reading->clip), "written");
  HEDDLE_CHECK(again.ok() && again->clip == reading->clip);
  return 0;
}
