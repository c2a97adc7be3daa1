#pragma once
// Writes synthetic core files in the kernel's format, with given threads, mapped files and memory.
#include <sys/user.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/elf_writer.h"

namespace heddle::test_support {

struct CoreThread {
  std::int32_t id = 1;
  int signal = 0;
  user_regs_struct registers = {};
};

struct CoreMapping {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t offset = 0;  // bytes
  std::string path;
};

struct CoreSegment {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
};

struct CoreNote {
  std::uint32_t type = 0;
  std::vector<std::uint8_t> bytes;
  std::uint32_t claimed_bytes = 0;  // bytes that the note's size exceeds its content by
};

struct Core {
  std::vector<CoreThread> threads = {};
  std::vector<CoreMapping> mappings = {};
  std::vector<CoreSegment> segments = {};
  std::vector<CoreNote> notes = {};  // additional notes, at the end
  std::uint64_t program_headers = 0, program_header_count = 0;

  void add_memory(std::uint64_t address, std::uint64_t size) {
    segments.push_back({address, std::vector<std::uint8_t>(size)});
  }
  // REQUIRES: a segment holds the memory.
  template <typename T>
  void put(std::uint64_t address, const T& value) {
    for (CoreSegment& segment : segments)
      if (address >= segment.address && address + sizeof value <= segment.address + segment.bytes.size())
        return static_cast<void>(std::memcpy(segment.bytes.data() + (address - segment.address), &value, sizeof value));
    abort_unmapped();
  }

 private:
  [[noreturn]] static void abort_unmapped();
};

std::vector<std::uint8_t> core_bytes(const Core& core);

// A core of the program at `path`, without threads: the file is mapped at `base`, the data are zero, and there is one
// stack.
inline constexpr std::uint64_t kLoadBase = 0x555500000000, kStackBegin = 0x7ffe00000000, kStackEnd = 0x7ffe00010000;
Core core_of(const std::string& path, std::uint64_t base = kLoadBase);

// A thread at an instruction, with the base of its frame in rbp.
CoreThread thread_at(std::uint64_t rip, std::uint64_t rbp, std::uint64_t thread_pointer = 0);

}  // namespace heddle::test_support
