#pragma once
// The memory and the threads of a program at one moment: from a core file, or from a copy that stands still.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::binary {

// General registers by their DWARF numbers; the last is the instruction pointer.
inline constexpr std::size_t kRegisterCount = 17;
enum RegisterNumber : std::size_t { kRbx = 3, kRbp = 6, kRsp = 7, kR12 = 12, kRip = 16 };

struct ImageThread {
  std::int32_t id = 0;
  std::array<std::uint64_t, kRegisterCount> registers{};
  std::uint64_t thread_pointer = 0;
  std::uint64_t descent = 0;  // its name by descent, hashed as sessions do; 0: unknown
};

struct MappedFile {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t offset = 0;
  std::string path;
};

class CoreImage {
 public:
  struct Segment {
    std::uint64_t begin = 0, end = 0;
    const std::uint8_t* bytes = nullptr;
  };

  std::vector<ImageThread> threads;  // the one that failed first
  std::vector<MappedFile> files;
  int signal = 0;
  std::uint64_t program_headers = 0;  // AT_PHDR; 0: unknown
  std::uint64_t program_header_count = 0;
  std::uint64_t size_bytes = 0;  // of the file, or of what was copied

  // Sorted afterwards; those that touch in memory and in the file become one, since objects lie across their borders.
  void set_segments(std::vector<Segment> segments);
  // What the dump leaves out because it is in files (code, constants) is read from these. `program` stands for the
  // program's own file, wherever that lay when it crashed. REQUIRES: set_segments() was called.
  void add_file_contents(const std::string& program);
  const std::vector<Segment>& segments() const { return segments_; }

  // nullptr: not all of it is known.
  const std::uint8_t* at(std::uint64_t address, std::uint64_t size) const;
  template <typename T>
  bool read(std::uint64_t address, T& value) const {
    const std::uint8_t* bytes = at(address, sizeof(T));
    if (bytes == nullptr) return false;
    std::memcpy(&value, bytes, sizeof(T));
    return true;
  }

  // The file that holds the program itself; nullptr: not known.
  const MappedFile* program_file() const;
  // Of the ELF file that was mapped for the program, as far as the image holds it; hex.
  std::string program_build_id() const;
  // Where the file's address 0 lies, by its mappings. False: it is not mapped.
  bool bias_of(const std::string& mapped_path, std::uint64_t first_address, std::uint64_t& bias) const;

  // Keeps memory alive as long as this.
  void keep(std::shared_ptr<const void> memory) { kept_.push_back(std::move(memory)); }

 private:
  std::vector<Segment> segments_;
  std::vector<std::shared_ptr<const void>> kept_;
  mutable std::size_t last_ = 0;
};

// A file's bytes, mapped. Fails when it cannot be read.
struct FileBytes {
  std::shared_ptr<const void> owner;
  const std::uint8_t* bytes = nullptr;
  std::uint64_t size = 0;
};
Result<FileBytes> map_file(const std::string& path);

// Reads a core file as the kernel and Heddle's own writer make them. What is damaged is told in one line.
Result<CoreImage> read_core_file(const std::string& path);

// Writes an image as a core file that gdb reads, with an entry for each thread.
Status write_core_file(const CoreImage& image, const std::string& path);

}  // namespace heddle::binary
