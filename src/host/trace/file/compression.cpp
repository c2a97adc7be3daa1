#include "trace/file/compression.h"

#include <zstd.h>

#include "support/bytes.h"
#include "support/check.h"

namespace heddle::trace {

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

Compressor::Compressor(int level, Checksum checksum) : context_(ZSTD_createCCtx()) {
  HEDDLE_CHECK(context_ != nullptr);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, checksum == Checksum::Yes ? 1 : 0);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
}

void Compressor::compress(std::string_view raw, std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(raw.size()));
  const std::size_t size =
      ZSTD_compress2(context_.get(), out.data() + before, out.size() - before, raw.data(), raw.size());
  HEDDLE_CHECK(!ZSTD_isError(size));
  out.resize(before + size);
}

// RFC 8878: magic, a descriptor for "one segment, four bytes of size", the size, the blocks.
void put_stored_frame(std::string_view raw, std::string& out) {
  constexpr std::uint8_t kSingleSegmentOfFourBytes = 0xa0;
  constexpr std::size_t kBlockMax = 128 << 10;
  put_fixed<std::uint32_t>(out, 0xfd2fb528u);
  put_fixed<std::uint8_t>(out, kSingleSegmentOfFourBytes);
  put_fixed<std::uint32_t>(out, static_cast<std::uint32_t>(raw.size()));
  do {
    const std::string_view block = raw.substr(0, kBlockMax);
    raw.remove_prefix(block.size());
    const auto head =
        static_cast<std::uint32_t>(block.size() << 3 | (raw.empty() ? 1 : 0));  // bits 1 and 2 are 0: uncompressed
    put_fixed<std::uint16_t>(out, static_cast<std::uint16_t>(head));
    put_fixed<std::uint8_t>(out, static_cast<std::uint8_t>(head >> 16));
    out.append(block);
  } while (!raw.empty());
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) { HEDDLE_CHECK(context_ != nullptr); }

bool Decompressor::decompress(std::string_view frame, std::size_t raw_size, std::string& out) {
  out.resize(raw_size);
  return ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), frame.data(), frame.size()) == raw_size;
}

std::string compress_file(std::string_view raw) {
  Compressor compressor(ZSTD_CLEVEL_DEFAULT, Compressor::Checksum::Yes);
  std::string out;
  compressor.compress(raw, out);
  return out;
}

bool is_compressed_file(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

Decompressed decompress_file(std::string_view bytes, std::size_t size_max) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  HEDDLE_CHECK(stream != nullptr);
  Decompressed result;
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::string block(ZSTD_DStreamOutSize(), '\0');
  for (;;) {
    ZSTD_outBuffer output{block.data(), block.size(), 0};
    const std::size_t wanted = ZSTD_decompressStream(stream.get(), &output, &input);
    result.bytes.append(block.data(), output.pos);
    if (ZSTD_isError(wanted)) {
      result.problem = std::string("damaged compression (") + ZSTD_getErrorName(wanted) + ")";
    } else if (result.bytes.size() > size_max) {
      result.problem = "larger than " + std::to_string(size_max) + " bytes";
    } else if (wanted == 0 && input.pos == input.size) {
      return result;
    } else if (input.pos == input.size && output.pos < output.size) {
      result.problem = "cut short";
    } else {
      continue;
    }
    return result;
  }
}

}  // namespace heddle::trace
