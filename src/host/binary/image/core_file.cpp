// Reads core files: ET_CORE, one PT_NOTE with the threads and the mapped files, and a PT_LOAD for each range of memory.
#include <elf.h>
#include <sys/procfs.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "binary/image/core_image.h"

namespace heddle::binary {
namespace {

constexpr std::uint8_t kZstdMagic[4] = {0x28, 0xb5, 0x2f, 0xfd};
constexpr std::uint8_t kGzipMagic[2] = {0x1f, 0x8b};
constexpr std::size_t kThreadsMax = 65'536;

struct NoteReader {
  CoreImage& image;

  void thread(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < sizeof(prstatus_t) || image.threads.size() == kThreadsMax) return;
    prstatus_t status;
    std::memcpy(&status, bytes.data(), sizeof status);
    user_regs_struct registers;
    static_assert(sizeof status.pr_reg == sizeof registers);
    std::memcpy(&registers, &status.pr_reg, sizeof registers);
    if (image.threads.empty()) image.signal = status.pr_cursig;
    ImageThread thread;
    thread.id = status.pr_pid;
    thread.thread_pointer = registers.fs_base;
    for (std::size_t i = 0; i < kRegisterCount; ++i) thread.registers[i] = registers.*kRegisterMembers[i];
    image.threads.push_back(thread);
  }

  void files(std::span<const std::uint8_t> bytes) {
    const auto word = [&](std::size_t index) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + index * 8, 8);
      return value;
    };
    if (bytes.size() < 16) return;
    const std::uint64_t count = word(0), page = word(1);
    if (count > (bytes.size() - 16) / 24) return;
    std::size_t name = 16 + count * 24;
    for (std::size_t i = 0; i < count && name < bytes.size(); ++i) {
      const auto* text = reinterpret_cast<const char*>(bytes.data()) + name;
      const std::size_t length = ::strnlen(text, bytes.size() - name);
      MappedFile file{word(2 + 3 * i), word(3 + 3 * i), word(4 + 3 * i) * page, {text, length}};
      if (file.end > file.begin) image.files.push_back(std::move(file));
      name += length + 1;
    }
  }

  void auxiliary(std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at + 16 <= bytes.size(); at += 16) {
      std::uint64_t entry[2];
      std::memcpy(entry, bytes.data() + at, sizeof entry);
      if (entry[0] == AT_PHDR) image.program_headers = entry[1];
      if (entry[0] == AT_PHNUM) image.program_header_count = entry[1];
    }
  }

  void read(std::span<const std::uint8_t> notes) {
    for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
      Elf64_Nhdr head;
      std::memcpy(&head, notes.data() + at, sizeof head);
      const std::uint64_t description = at + sizeof head + (std::uint64_t{head.n_namesz} + 3) / 4 * 4;
      if (description > notes.size() || head.n_descsz > notes.size() - description) return;
      const auto bytes = notes.subspan(description, head.n_descsz);
      if (head.n_type == NT_PRSTATUS) thread(bytes);
      if (head.n_type == NT_FILE) files(bytes);
      if (head.n_type == NT_AUXV) auxiliary(bytes);
      at = description + (std::uint64_t{head.n_descsz} + 3) / 4 * 4;
    }
  }
};

Error damaged(const std::string& path, const std::string& problem) {
  return Error{path + " is damaged: " + problem + "; copy the core again from where it was written"};
}

Error truncated(const std::string& path, std::uint64_t wanted, std::uint64_t size) {
  return Error{path + " is cut off after " + std::to_string(size) + " of " + std::to_string(wanted) +
               " bytes, so its variables cannot be trusted; get a whole one with `ulimit -c unlimited` and enough "
               "room on the disk"};
}

}  // namespace

Result<CoreImage> read_core_file(const std::string& path) {
  Result<FileBytes> mapped = map_file(path);
  if (!mapped) return mapped.error();
  const std::span<const std::uint8_t> file(mapped->bytes, mapped->size);
  if (file.size() >= sizeof kZstdMagic && std::memcmp(file.data(), kZstdMagic, sizeof kZstdMagic) == 0)
    return Error{path + " is compressed; type: unzstd " + path + " -o core, and pass that file"};
  if (file.size() >= sizeof kGzipMagic && std::memcmp(file.data(), kGzipMagic, sizeof kGzipMagic) == 0)
    return Error{path + " is compressed; type: gunzip -c " + path + " > core, and pass that file"};
  Elf64_Ehdr head;
  if (file.size() < sizeof head || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    return Error{path + " is not a core file; pass the file that the kernel wrote when the program crashed"};
  std::memcpy(&head, file.data(), sizeof head);
  if (head.e_type != ET_CORE)
    return Error{path + " is an ELF file, but not a core; pass the core first and the program with --program"};
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
    return Error{path + " is the core of another kind of machine; only x86-64 cores can be read"};
  if (head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff > file.size() || head.e_phnum == PN_XNUM)
    return damaged(path, "its table of segments is unreadable");
  const std::uint64_t table_end = head.e_phoff + std::uint64_t{head.e_phnum} * sizeof(Elf64_Phdr);
  if (table_end > file.size()) return truncated(path, table_end, file.size());

  CoreImage image;
  image.size_bytes = file.size();
  std::vector<CoreImage::Segment> segments;
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, file.data() + head.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_filesz > ~std::uint64_t{0} - segment.p_offset ||
        segment.p_filesz > ~std::uint64_t{0} - segment.p_vaddr)
      return damaged(path, "a segment has an impossible size");
    wanted = std::max(wanted, segment.p_offset + segment.p_filesz);
    if (segment.p_offset + segment.p_filesz > file.size()) continue;
    if (segment.p_type == PT_NOTE) NoteReader{image}.read(file.subspan(segment.p_offset, segment.p_filesz));
    if (segment.p_type == PT_LOAD && segment.p_filesz != 0)
      segments.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_filesz, file.data() + segment.p_offset});
  }
  if (wanted > file.size()) return truncated(path, wanted, file.size());
  if (image.threads.empty()) return damaged(path, "it has no threads");
  image.set_segments(std::move(segments));
  image.keep(mapped->owner);
  return image;
}

}  // namespace heddle::binary
