#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace heddle::trace {

// Compresses each piece into a separate zstd frame, and keeps the working memory between pieces.
class Compressor {
 public:
  enum class Checksum : bool { No, Yes };
  Compressor(int level, Checksum checksum);

  // Appends the frame to `out`.
  void compress(std::string_view raw, std::string& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

// Appends a zstd frame of uncompressed blocks.
void put_stored_frame(std::string_view raw, std::string& out);

class Decompressor {
 public:
  Decompressor();

  // False if `frame` does not decompress to exactly `raw_size` bytes; `out` is unspecified then.
  bool decompress(std::string_view frame, std::size_t raw_size, std::string& out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

// A whole file as one frame with a checksum.
std::string compress_file(std::string_view raw);
bool is_compressed_file(std::string_view bytes);

// The content of a compressed file, up to the first damage.
struct Decompressed {
  std::string bytes;
  std::string problem;  // empty: complete
};
Decompressed decompress_file(std::string_view bytes, std::size_t size_max);

}  // namespace heddle::trace
