#pragma once
#include <elf.h>
#include <libelf.h>

#include <cstdint>
#include <map>
#include <optional>
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

// The head of a 64-bit x86-64 file of this type (ET_CORE, ET_DYN) whose program headers follow it.
Elf64_Ehdr make_elf_head(std::uint16_t type, std::size_t program_headers);

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
  // Offset of a thread-local variable in the module's block; nullopt: unknown.
  std::optional<std::uint64_t> thread_local_offset(const std::string& name) const;
  std::uint64_t first_address() const;       // of the loaded segments, rounded down to a page
  std::uint64_t thread_local_bytes() const;  // size of the module's block, aligned

 private:
  ElfFile(UniqueFd fd, Elf* elf) : fd_(std::move(fd)), elf_(elf) {}

  UniqueFd fd_;
  Elf* elf_ = nullptr;
};

}  // namespace heddle::binary
