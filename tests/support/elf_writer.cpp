#include "tests/support/elf_writer.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "binary/elf_file.h"
#include "tests/support/byte_writer.h"

namespace heddle::test_support {
namespace {

constexpr std::uint64_t kNoteBegin = 0x400, kFileEndInMemory = 0x3000;

std::vector<std::uint8_t> build_id_note(const std::vector<std::uint8_t>& build_id) {
  ByteWriter note;
  note.u32(4);
  note.u32(build_id.size());
  note.u32(NT_GNU_BUILD_ID);
  note.text("GNU");
  note.bytes(build_id);
  note.align(4);
  return note.take();
}

// Unwind rules for functions with a frame pointer: the caller's frame and the return address lie at rbp.
std::vector<std::uint8_t> unwind_rules(const std::vector<ElfSymbol>& symbols) {
  constexpr unsigned kRbp = 6, kReturnAddress = 16;
  ByteWriter rules;
  const auto put_entry = [&](auto put_body) {
    const std::size_t begin = rules.size();
    rules.u32(0);
    put_body(begin + 4);
    rules.align(8);
    rules.patch_u32(begin, rules.size() - begin - 4);
  };
  put_entry([&](std::size_t) {
    rules.u32(0);
    rules.u8(1);
    rules.text("");
    rules.uleb(1);
    rules.sleb(-8);
    rules.u8(kReturnAddress);
    rules.u8(DW_CFA_def_cfa);
    rules.uleb(kRbp);
    rules.uleb(16);
    rules.u8(DW_CFA_offset | kRbp);
    rules.uleb(2);
    rules.u8(DW_CFA_offset | kReturnAddress);
    rules.uleb(1);
  });
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.type != STT_FUNC) continue;
    put_entry([&](std::size_t at) {
      rules.u32(at);  // back to the common entry
      rules.u64(symbol.address);
      rules.u64(symbol.size);
    });
  }
  rules.u32(0);
  return rules.take();
}

class ProgramWriter {
 public:
  explicit ProgramWriter(const Program& program) : program_(program) { names_.u8(0); }

  std::vector<std::uint8_t> write() {
    const std::vector<std::uint8_t> note = build_id_note(program_.build_id);
    ByteWriter file;
    put_head(file);
    put_segments(file, note.size());
    file.fill_to(kNoteBegin);
    sections_.emplace_back();
    add(".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, kNoteBegin, note, file);
    file.fill_to(kCodeBegin);
    add(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kCodeBegin,
        std::vector<std::uint8_t>(kCodeEnd - kCodeBegin, 0x90), file);
    add(".eh_frame", SHT_PROGBITS, SHF_ALLOC, kCodeEnd, unwind_rules(program_.symbols), file);
    file.fill_to(kFileEndInMemory);
    add_empty(".bss", SHF_ALLOC | SHF_WRITE, kDataBegin, kDataEnd - kDataBegin);
    add_empty(".tbss", SHF_ALLOC | SHF_WRITE | SHF_TLS, kDataBegin, program_.thread_local_bytes);
    if (program_.has_debug_information) add_debug_information(file);
    for (const ElfSection& section : program_.sections) add(section.name, SHT_PROGBITS, 0, 0, section.bytes, file);
    add_symbols(file);
    add_section_names(file);
    const std::size_t table = (file.size() + 7) / 8 * 8;
    file.fill_to(table);
    for (const Elf64_Shdr& section : sections_) file.object(section);
    std::vector<std::uint8_t> bytes = file.take();
    auto* head = reinterpret_cast<Elf64_Ehdr*>(bytes.data());
    head->e_shoff = table;
    head->e_shnum = static_cast<Elf64_Half>(sections_.size());
    head->e_shstrndx = static_cast<Elf64_Half>(sections_.size() - 1);
    return bytes;
  }

 private:
  static constexpr std::uint16_t kTextSection = 2, kBssSection = 4, kTbssSection = 5;

  static void put_head(ByteWriter& file) {
    Elf64_Ehdr head = binary::make_elf_head(ET_DYN, kProgramHeaderCount);
    head.e_shentsize = sizeof(Elf64_Shdr);
    file.object(head);
  }

  void put_segments(ByteWriter& file, std::size_t note_bytes) const {
    const auto put = [&](std::uint32_t type, std::uint32_t flags, std::uint64_t begin, std::uint64_t in_file,
                         std::uint64_t in_memory, std::uint64_t align) {
      Elf64_Phdr segment{};
      segment.p_type = type;
      segment.p_flags = flags;
      segment.p_offset = in_file == 0 ? 0 : begin;
      segment.p_vaddr = segment.p_paddr = begin;
      segment.p_filesz = in_file;
      segment.p_memsz = in_memory;
      segment.p_align = align;
      file.object(segment);
    };
    constexpr std::uint64_t kHeadersSize = kProgramHeaderCount * sizeof(Elf64_Phdr);
    put(PT_PHDR, PF_R, kProgramHeaders, kHeadersSize, kHeadersSize, 8);
    put(PT_LOAD, PF_R | PF_X, 0, kFileEndInMemory, kFileEndInMemory, 0x1000);
    put(PT_LOAD, PF_R | PF_W, kDataBegin, 0, kDataEnd - kDataBegin, 0x1000);
    put(PT_NOTE, PF_R, kNoteBegin, note_bytes, note_bytes, 4);
    put(PT_TLS, PF_R, kDataBegin, 0, program_.thread_local_bytes, 8);
  }

  Elf64_Shdr& add(const std::string& name, std::uint32_t type, std::uint64_t flags, std::uint64_t address,
                  const std::vector<std::uint8_t>& bytes, ByteWriter& file) {
    if (address == 0) file.align(8);
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names_.size());
    names_.text(name);
    section.sh_type = type;
    section.sh_flags = flags;
    section.sh_addr = address;
    section.sh_offset = file.size();
    section.sh_size = bytes.size();
    section.sh_addralign = 1;
    file.bytes(bytes);
    sections_.push_back(section);
    return sections_.back();
  }

  void add_empty(const std::string& name, std::uint64_t flags, std::uint64_t address, std::uint64_t size) {
    ByteWriter none;
    Elf64_Shdr& section = add(name, SHT_NOBITS, flags, address, {}, none);
    section.sh_size = size;
  }

  void add_debug_information(ByteWriter& file) {
    const DwarfSections dwarf = write_dwarf(program_.units);
    add(".debug_info", SHT_PROGBITS, 0, 0, dwarf.info, file);
    add(".debug_abbrev", SHT_PROGBITS, 0, 0, dwarf.abbrev, file);
    add(".debug_str", SHT_PROGBITS, 0, 0, dwarf.str, file);
    add(".debug_line", SHT_PROGBITS, 0, 0, dwarf.line, file);
    add(".debug_loclists", SHT_PROGBITS, 0, 0, dwarf.loclists, file);
  }

  void add_symbols(ByteWriter& file) {
    ByteWriter symbols, names;
    names.u8(0);
    symbols.object(Elf64_Sym{});
    for (const ElfSymbol& symbol : program_.symbols) {
      Elf64_Sym row{};
      row.st_name = static_cast<Elf64_Word>(names.size());
      names.text(symbol.name);
      row.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, symbol.type));
      row.st_shndx = symbol.type == STT_FUNC ? kTextSection : symbol.type == STT_TLS ? kTbssSection : kBssSection;
      row.st_value = symbol.address;
      row.st_size = symbol.size;
      symbols.object(row);
    }
    Elf64_Shdr& table = add(".symtab", SHT_SYMTAB, 0, 0, symbols.take(), file);
    table.sh_entsize = sizeof(Elf64_Sym);
    table.sh_info = 1;
    table.sh_link = static_cast<Elf64_Word>(sections_.size());
    add(".strtab", SHT_STRTAB, 0, 0, names.take(), file);
  }

  void add_section_names(ByteWriter& file) {
    constexpr char kOwnName[] = ".shstrtab";
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names_.size());
    names_.text(kOwnName);
    section.sh_type = SHT_STRTAB;
    section.sh_offset = file.size();
    section.sh_size = names_.size();
    section.sh_addralign = 1;
    file.bytes(names_.take());
    sections_.push_back(section);
  }

  const Program& program_;
  std::vector<Elf64_Shdr> sections_;
  ByteWriter names_;
};

}  // namespace

std::vector<std::uint8_t> program_bytes(const Program& program) { return ProgramWriter(program).write(); }

Unit whole_unit(std::vector<Die> children) { return {"main.cpp", kCodeBegin, kCodeEnd, std::move(children)}; }

void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) std::abort();
}

}  // namespace heddle::test_support
