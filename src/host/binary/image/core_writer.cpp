// Writes an image in the kernel's core format, which core_file.cpp reads. The crash handler of production programs
// needs a separate writer (target/production), because it runs in a crashed process and cannot allocate memory.
#include <elf.h>
#include <sys/procfs.h>

#include <cstring>
#include <fstream>

#include "binary/elf_file.h"
#include "binary/image/core_image.h"

namespace heddle::binary {
namespace {

constexpr std::uint64_t kPage = 4096;

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

void append_note(std::string& notes, std::uint32_t type, const void* data, std::size_t size) {
  const Elf64_Nhdr head{5, static_cast<Elf64_Word>(size), type};
  append(notes, &head, sizeof head);
  append(notes, "CORE\0\0\0", 8);
  append(notes, data, size);
  notes.append((4 - size % 4) % 4, '\0');
}

std::string make_notes(const CoreImage& image) {
  std::string notes;
  for (const ImageThread& thread : image.threads) {
    prstatus_t status{};
    status.pr_pid = thread.id;
    user_regs_struct to{};
    for (std::size_t i = 0; i < kRegisterCount; ++i) to.*kRegisterMembers[i] = thread.registers[i];
    to.cs = 0x33, to.ss = 0x2b, to.fs_base = thread.thread_pointer, to.orig_rax = ~0ull;
    std::memcpy(&status.pr_reg, &to, sizeof to);
    append_note(notes, NT_PRSTATUS, &status, sizeof status);
  }
  // gdb computes the load address of a position-independent program from AT_ENTRY.
  Elf64_Ehdr program{};
  std::uint64_t entry_point = 0;
  if (const MappedFile* file = image.program_file(); file != nullptr && image.read(file->begin - file->offset, program))
    entry_point = program.e_entry + (program.e_type == ET_DYN ? file->begin - file->offset : 0);
  const std::uint64_t auxiliary[8] = {AT_PHDR,  image.program_headers, AT_PHNUM, image.program_header_count,
                                      AT_ENTRY, entry_point,           AT_NULL,  0};
  append_note(notes, NT_AUXV, auxiliary, sizeof auxiliary);
  std::string files, names;
  const std::uint64_t counts[2] = {image.files.size(), kPage};
  append(files, counts, sizeof counts);
  for (const MappedFile& file : image.files) {
    const std::uint64_t entry[3] = {file.begin, file.end, file.offset / kPage};
    append(files, entry, sizeof entry);
    names += file.path + '\0';
  }
  files += names;
  append_note(notes, NT_FILE, files.data(), files.size());
  return notes;
}

}  // namespace

Status write_core_file(const CoreImage& image, const std::string& path) {
  const std::string notes = make_notes(image);
  const std::size_t count = image.segments().size() + 1;
  if (count >= PN_XNUM) return Error{"the program has too many mappings for a core file"};
  const Elf64_Ehdr head = make_elf_head(ET_CORE, count);
  std::string table;
  Elf64_Phdr note{};
  note.p_type = PT_NOTE;
  note.p_offset = sizeof head + count * sizeof note;
  note.p_filesz = notes.size();
  note.p_align = 4;
  append(table, &note, sizeof note);
  std::uint64_t offset = (note.p_offset + notes.size() + kPage - 1) / kPage * kPage;
  const std::uint64_t first = offset;
  for (const CoreImage::Segment& segment : image.segments()) {
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_offset = offset;
    load.p_vaddr = segment.begin;
    load.p_filesz = load.p_memsz = segment.end - segment.begin;
    load.p_flags = PF_R | PF_W;
    load.p_align = kPage;
    append(table, &load, sizeof load);
    offset += load.p_filesz;
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(&head), sizeof head);
  file << table << notes << std::string(first - note.p_offset - notes.size(), '\0');
  for (const CoreImage::Segment& segment : image.segments())
    file.write(reinterpret_cast<const char*>(segment.bytes), static_cast<std::streamsize>(segment.end - segment.begin));
  if (!file.flush()) return Error{"cannot write " + path};
  return ok_status();
}

}  // namespace heddle::binary
