#pragma once
// Writes synthetic programs: ELF files with debug information, symbols, unwind rules and further sections. They cannot
// run.
#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/dwarf_writer.h"

namespace heddle::test_support {

// The layout in the file's own address space. The file has the code; the data exist only in memory.
inline constexpr std::uint64_t kCodeBegin = 0x1000, kCodeEnd = 0x2000;
inline constexpr std::uint64_t kDataBegin = 0x4000, kDataEnd = 0x8000;

struct ElfSymbol {
  std::string name;
  std::uint64_t address = 0;  // of STT_TLS: offset into the thread's block
  std::uint64_t size = 0;
  unsigned type = STT_FUNC;  // a function also gets unwind rules, with its frame at rbp
};

struct ElfSection {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

struct Program {
  std::vector<Unit> units = {};
  std::vector<ElfSymbol> symbols = {};
  std::vector<ElfSection> sections = {};
  std::vector<std::uint8_t> build_id = {1, 2, 3, 4};
  std::uint64_t thread_local_bytes = 0;
  bool has_debug_information = true;
};

inline constexpr std::uint64_t kProgramHeaders = sizeof(Elf64_Ehdr);  // file address
inline constexpr std::uint64_t kProgramHeaderCount = 5;

std::vector<std::uint8_t> program_bytes(const Program& program);

// A unit with the whole code range.
Unit whole_unit(std::vector<Die> children);

// REQUIRES: the file can be written.
void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes);

}  // namespace heddle::test_support
