#pragma once
// The memory and the threads of a program at one moment, from a core file or from the snapshot of a process.
#include <sys/user.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::binary {

// General registers by DWARF number; the last one is the instruction pointer.
inline constexpr std::size_t kRegisterCount = 17;
inline constexpr unsigned long long user_regs_struct::* kRegisterMembers[kRegisterCount] = {
    &user_regs_struct::rax, &user_regs_struct::rdx, &user_regs_struct::rcx, &user_regs_struct::rbx,
    &user_regs_struct::rsi, &user_regs_struct::rdi, &user_regs_struct::rbp, &user_regs_struct::rsp,
    &user_regs_struct::r8,  &user_regs_struct::r9,  &user_regs_struct::r10, &user_regs_struct::r11,
    &user_regs_struct::r12, &user_regs_struct::r13, &user_regs_struct::r14, &user_regs_struct::r15,
    &user_regs_struct::rip};
enum RegisterNumber : std::size_t { kRbx = 3, kRbp = 6, kRsp = 7, kR12 = 12, kRip = 16 };

struct ImageThread {
  std::int32_t id = 0;
  std::array<std::uint64_t, kRegisterCount> registers{};
  std::uint64_t thread_pointer = 0;
  std::uint64_t descent = 0;  // hash of the descent name (base/hash.h); 0: unknown
};

struct MappedFile {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t offset = 0;
  std::string path;
};

// Memory is a sorted list of disjoint segments whose bytes lie in mapped files or in buffers that the image keeps
// alive. Every read is checked, since a core may be damaged: at() returns nullptr unless one segment holds all of the
// range. Adjacent segments are merged for that reason, so that an object which crosses a border can still be read.
class CoreImage {
 public:
  struct Segment {
    std::uint64_t begin = 0, end = 0;
    const std::uint8_t* bytes = nullptr;
  };

  std::vector<ImageThread> threads;  // the failing thread comes first
  std::vector<MappedFile> files;
  int signal = 0;
  std::uint64_t program_headers = 0;  // AT_PHDR; 0: unknown
  std::uint64_t program_header_count = 0;
  std::uint64_t size_bytes = 0;  // of the core file or of the copied memory

  // Sorts the segments and merges those that are adjacent in memory and in the file.
  void set_segments(std::vector<Segment> segments);
  // Adds code and constants, which a dump omits, from the mapped files. `program` replaces the path of the program's
  // own file, which may have moved since the crash. REQUIRES: set_segments() was called.
  void add_file_contents(const std::string& program);
  const std::vector<Segment>& segments() const { return segments_; }

  // nullptr: the image lacks part of the range.
  const std::uint8_t* at(std::uint64_t address, std::uint64_t size) const;
  template <typename T>
  bool read(std::uint64_t address, T& value) const {
    const std::uint8_t* bytes = at(address, sizeof(T));
    if (bytes == nullptr) return false;
    std::memcpy(&value, bytes, sizeof(T));
    return true;
  }

  // The mapping with the program's own headers; nullptr: unknown.
  const MappedFile* program_file() const;
  // Build id of the mapped program, in hex; empty if the image does not hold it.
  std::string program_build_id() const;
  // The load address minus the file's own addresses. False: the file is not mapped.
  bool bias_of(const std::string& mapped_path, std::uint64_t first_address, std::uint64_t& bias) const;

  // Keeps memory alive as long as the image.
  void keep(std::shared_ptr<const void> memory) { kept_.push_back(std::move(memory)); }

 private:
  std::vector<Segment> segments_;
  std::vector<std::shared_ptr<const void>> kept_;
  mutable std::size_t last_ = 0;
};

// The mapped bytes of a file.
struct FileBytes {
  std::shared_ptr<const void> owner;
  const std::uint8_t* bytes = nullptr;
  std::uint64_t size = 0;
};
Result<FileBytes> map_file(const std::string& path);

// Reads a core file that the kernel or Heddle wrote. An error describes the damage in one line.
Result<CoreImage> read_core_file(const std::string& path);

// Writes an image as a core file that gdb can read.
Status write_core_file(const CoreImage& image, const std::string& path);

}  // namespace heddle::binary
