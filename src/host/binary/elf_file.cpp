#include "binary/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/bytes.h"

namespace heddle::binary {
namespace {

template <typename Function>
void for_each_segment(Elf* elf, Function function) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr) function(header);
  }
}

template <typename Function>
void for_each_section(Elf* elf, Function function) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr) function(section, header);
  }
}

template <typename Function>
void for_each_symbol(Elf* elf, Function function) {
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = header.sh_type == SHT_SYMTAB && header.sh_entsize != 0 ? elf_getdata(section, nullptr) : nullptr;
    for (std::size_t i = 0; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
      if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) function(name, symbol);
    }
  });
}

template <typename Part>
Part part_at(std::string_view bytes, std::size_t at) {
  Part part{};
  if (at <= bytes.size() && sizeof part <= bytes.size() - at) std::memcpy(&part, bytes.data() + at, sizeof part);
  return part;
}

}  // namespace

ElfKind kind_of_elf(std::string_view head) {
  const auto file = part_at<Elf64_Ehdr>(head, 0);
  if (file.e_type == ET_CORE) return ElfKind::Core;
  if (file.e_type == ET_REL) return ElfKind::Object;
  if (file.e_type == ET_EXEC) return ElfKind::Program;
  for (std::size_t i = 0; i < file.e_phnum; ++i)
    if (part_at<Elf64_Phdr>(head, file.e_phoff + i * sizeof(Elf64_Phdr)).p_type == PT_INTERP) return ElfKind::Program;
  return file.e_type == ET_DYN ? ElfKind::Library : ElfKind::Unknown;
}

Elf64_Ehdr make_elf_head(std::uint16_t type, std::size_t program_headers) {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = type;
  head.e_machine = EM_X86_64;
  head.e_version = EV_CURRENT;
  head.e_phoff = head.e_ehsize = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = static_cast<Elf64_Half>(program_headers);
  return head;
}

Result<ElfFile> ElfFile::open(const std::string& path) {
  elf_version(EV_CURRENT);
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  Elf* elf = elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr);
  if (elf == nullptr) return Error{path + " is not an ELF file"};
  ElfFile file(std::move(fd), elf);
  if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64) {
    return Error{path + " is not a 64-bit ELF file"};
  }
  return file;
}

ElfFile::ElfFile(ElfFile&& other) noexcept : fd_(std::move(other.fd_)), elf_(std::exchange(other.elf_, nullptr)) {}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) elf_end(elf_);
}

ElfFile::Section ElfFile::section(const std::string& name) const {
  std::size_t names = 0;
  Section found;
  if (elf_getshdrstrndx(elf_, &names) != 0) return found;
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    const char* const own_name = elf_strptr(elf_, names, header.sh_name);
    if (found.bytes.data() != nullptr || own_name == nullptr || name != own_name || header.sh_type == SHT_NOBITS)
      return;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data != nullptr && data->d_buf != nullptr)
      found = {header.sh_addr, {static_cast<const std::uint8_t*>(data->d_buf), data->d_size}};
  });
  return found;
}

std::string ElfFile::text_at(std::uint64_t address) const {
  std::size_t size = 0;
  const char* raw = elf_rawfile(elf_, &size);
  std::string text;
  for_each_segment(elf_, [&](const GElf_Phdr& header) {
    if (header.p_type != PT_LOAD || address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz) return;
    const std::uint64_t within = address - header.p_vaddr;
    const std::uint64_t offset = header.p_offset + within;
    if (raw == nullptr || offset >= size) return;
    const std::size_t room = std::min<std::uint64_t>(header.p_filesz - within, size - offset);
    text.assign(raw + offset, ::strnlen(raw + offset, room));
  });
  return text;
}

std::string ElfFile::build_id() const {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &bytes);
  return size <= 0 ? "" : hex_text({static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size)});
}

bool ElfFile::has_interpreter() const {
  bool found = false;
  for_each_segment(elf_, [&](const GElf_Phdr& header) { found |= header.p_type == PT_INTERP; });
  return found;
}

std::vector<std::string> ElfFile::needed_libraries() const {
  std::vector<std::string> libraries;
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = header.sh_type == SHT_DYNAMIC && header.sh_entsize != 0 ? elf_getdata(section, nullptr) : nullptr;
    for (std::size_t i = 0; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
      if (const char* name = elf_strptr(elf_, header.sh_link, entry.d_un.d_val)) libraries.emplace_back(name);
    }
  });
  return libraries;
}

std::map<std::string, std::vector<std::uint64_t>> ElfFile::function_addresses() const {
  std::map<std::string, std::vector<std::uint64_t>> addresses;
  for_each_symbol(elf_, [&](const char* name, const GElf_Sym& symbol) {
    if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC) addresses[name].push_back(symbol.st_value);
  });
  for (auto& [name, values] : addresses) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  return addresses;
}

std::vector<ElfFile::Variable> ElfFile::variables() const {
  std::vector<Variable> variables;
  for_each_symbol(elf_, [&](const char* name, const GElf_Sym& symbol) {
    if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size != 0)
      variables.push_back({name, symbol.st_value, symbol.st_size});
  });
  return variables;
}

std::optional<std::uint64_t> ElfFile::thread_local_offset(const std::string& wanted) const {
  std::optional<std::uint64_t> found;
  for_each_symbol(elf_, [&](const char* name, const GElf_Sym& symbol) {
    if (GELF_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_size != 0 && wanted == name) found = symbol.st_value;
  });
  return found;
}

std::uint64_t ElfFile::first_address() const {
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t first = ~std::uint64_t{0};
  for_each_segment(elf_, [&](const GElf_Phdr& header) {
    if (header.p_type == PT_LOAD) first = std::min<std::uint64_t>(first, header.p_vaddr / kPage * kPage);
  });
  return first == ~std::uint64_t{0} ? 0 : first;
}

std::uint64_t ElfFile::thread_local_bytes() const {
  std::uint64_t bytes = 0;
  for_each_segment(elf_, [&](const GElf_Phdr& header) {
    if (header.p_type != PT_TLS) return;
    const std::uint64_t align = std::max<std::uint64_t>(header.p_align, 1);
    bytes = (header.p_memsz + align - 1) / align * align;
  });
  return bytes;
}

}  // namespace heddle::binary
