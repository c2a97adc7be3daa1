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
// By the beginning of a file; also of one that is cut short. Library: or a static program.
ElfKind kind_of_elf(std::string_view head);

// A 64-bit ELF file, read only. What is damaged reads as absent.
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
  // Empty when there is no such section.
  Section section(const std::string& name) const;
  // NUL-terminated text at an address of the file's own address space; empty when nothing is loaded there.
  std::string text_at(std::uint64_t address) const;
  std::string build_id() const;  // hex
  bool has_interpreter() const;
  std::vector<std::string> needed_libraries() const;
  // Of functions that are defined here, ascending for each name.
  std::map<std::string, std::vector<std::uint64_t>> function_addresses() const;
  // Of variables that have a size, as they come.
  struct Variable {
    std::string name;  // linkage name
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  std::vector<Variable> variables() const;
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
