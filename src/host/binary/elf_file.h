#pragma once
#include <libelf.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle::binary {

enum class ElfKind : std::uint8_t { Unknown, Core, Object, Program, Library };
// Judges by the first bytes of a file, which may be cut short. A static position-independent program counts as Library.
ElfKind kind_of_elf(std::string_view head);

// A 64-bit ELF file, read only. Damaged parts read as absent.
class ElfFile {
 public:
  static Result<ElfFile> open(const std::string& path);
  ElfFile(ElfFile&& other) noexcept;
  ElfFile& operator=(ElfFile&&) = delete;
  ~ElfFile();

  struct Section {
    std::uint64_t address = 0;
    std::span<const std::uint8_t> bytes;
  };
  // Empty if there is no such section.
  Section section(const std::string& name) const;
  // NUL-terminated text at an address of the file's own address space; empty if no segment is loaded there.
  std::string text_at(std::uint64_t address) const;
  std::string build_id() const;  // hex
  bool has_interpreter() const;
  std::vector<std::string> needed_libraries() const;
  // Addresses of the functions that the file defines, by name, ascending.
  std::map<std::string, std::vector<std::uint64_t>> function_addresses() const;
  struct Variable {
    std::string name;  // linkage name
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  std::vector<Variable> variables() const;  // those that have a size, in the order of the symbol table
  // Value and size of a thread-local symbol: an offset into the module's block. Size 0: there is none.
  struct Symbol {
    std::uint64_t value = 0;
    std::uint64_t size = 0;
  };
  Symbol thread_local_symbol(const std::string& name) const;
  // First address of its loaded segments, rounded down to a page; where the segment of a thread's variables ends.
  std::uint64_t first_address() const;
  std::uint64_t thread_local_bytes() const;

 private:
  ElfFile(UniqueFd fd, Elf* elf) : fd_(std::move(fd)), elf_(elf) {}

  UniqueFd fd_;
  Elf* elf_ = nullptr;
};

}  // namespace heddle::binary
