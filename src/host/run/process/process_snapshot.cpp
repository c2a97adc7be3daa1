#include "run/process/process_snapshot.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "format/frozen.h"
#include "support/unique_fd.h"

namespace heddle::run {
namespace {

struct Mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string permissions, path;
};

std::vector<Mapping> read_mappings(std::int32_t process) {
  std::vector<Mapping> mappings;
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(file, line);) {
    Mapping mapping;
    char permissions[5] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &mapping.begin, &mapping.end, permissions,
                    &mapping.offset, &path_at) < 4)
      continue;
    mapping.permissions = permissions;
    if (path_at > 0 && static_cast<std::size_t>(path_at) < line.size()) mapping.path = line.substr(static_cast<std::size_t>(path_at));
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

bool is_copied(const Mapping& mapping) {
  if (mapping.permissions[0] != 'r' || mapping.path == "[vvar]" || mapping.path == "[vsyscall]") return false;
  if (mapping.path.starts_with("/memfd:")) return false;  // the session, which is Heddle's own
  const bool from_file = mapping.path.starts_with("/");
  constexpr std::uint64_t kSmall = 1u << 20;  // pages that were relocated and then protected
  return !from_file || mapping.permissions[1] == 'w' ||
         (mapping.permissions[2] != 'x' && mapping.end - mapping.begin <= kSmall);
}

// Untouched pages of the reserved stretches of the heap and the stacks are left out: they are zero, and many.
constexpr std::uint64_t kPage = 4096;
std::vector<std::pair<std::uint64_t, std::uint64_t>> present_ranges(int pagemap, const Mapping& mapping) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  constexpr std::uint64_t kChunk = 65'536;
  std::vector<std::uint64_t> entries(kChunk);
  for (std::uint64_t at = mapping.begin; at < mapping.end;) {
    const std::uint64_t pages = std::min(kChunk, (mapping.end - at) / kPage);
    const ssize_t got = ::pread(pagemap, entries.data(), pages * 8, static_cast<off_t>(at / kPage * 8));
    if (got != static_cast<ssize_t>(pages * 8)) return {{mapping.begin, mapping.end}};
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (entries[i] >> 62 == 0) continue;
      const std::uint64_t begin = at + i * kPage;
      if (!ranges.empty() && ranges.back().second == begin)
        ranges.back().second += kPage;
      else
        ranges.emplace_back(begin, begin + kPage);
    }
    at += pages * kPage;
  }
  return ranges;
}

bool copy_range(std::int32_t process, std::uint64_t begin, std::uint64_t end, binary::CoreImage& image,
                std::vector<binary::CoreImage::Segment>& segments) {
  const std::size_t size = end - begin;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  const std::shared_ptr<const void> owner(memory, [size](const void* at) { ::munmap(const_cast<void*>(at), size); });
  const iovec local{memory, size}, remote{reinterpret_cast<void*>(begin), size};
  const ssize_t got = ::process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (got <= 0) return false;
  image.keep(owner);
  image.size_bytes += static_cast<std::uint64_t>(got);
  segments.push_back({begin, begin + static_cast<std::uint64_t>(got), static_cast<const std::uint8_t*>(memory)});
  return true;
}

void read_auxiliary(std::int32_t process, binary::CoreImage& image) {
  std::ifstream file("/proc/" + std::to_string(process) + "/auxv", std::ios::binary);
  std::uint64_t entry[2];
  while (file.read(reinterpret_cast<char*>(entry), sizeof entry)) {
    if (entry[0] == AT_PHDR) image.program_headers = entry[1];
    if (entry[0] == AT_PHNUM) image.program_header_count = entry[1];
  }
}

Status read_threads(std::uint64_t address, binary::CoreImage& image) {
  std::uint64_t count = 0;
  if (!image.read(address, count) || count == 0 || count > format::kFrozenThreadsMax)
    return Error{"the copy of the program at the aligned point cannot be read", ExitCode::Uncontrolled};
  for (std::uint64_t i = 0; i < count; ++i) {
    format::FrozenThread from;
    if (!image.read(address + offsetof(format::FrozenThreads, threads) + i * sizeof from, from)) break;
    binary::ImageThread thread;
    thread.id = static_cast<std::int32_t>(i + 1);
    thread.thread_pointer = from.thread_pointer;
    thread.descent = from.descent;
    thread.registers[binary::kRip] = from.registers.rip;
    thread.registers[binary::kRsp] = from.registers.rsp;
    thread.registers[binary::kRbp] = from.registers.rbp;
    thread.registers[binary::kRbx] = from.registers.rbx;
    thread.registers[binary::kR12] = from.registers.r12;
    thread.registers[binary::kR12 + 1] = from.registers.r13;
    thread.registers[binary::kR12 + 2] = from.registers.r14;
    thread.registers[binary::kR12 + 3] = from.registers.r15;
    image.threads.push_back(thread);
  }
  return ok_status();
}

}  // namespace

Result<binary::CoreImage> read_process_snapshot(std::int32_t process, std::uint64_t threads) {
  binary::CoreImage image;
  const UniqueFd pagemap(::open(("/proc/" + std::to_string(process) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<binary::CoreImage::Segment> segments;
  for (const Mapping& mapping : read_mappings(process)) {
    if (mapping.path.starts_with("/") && !mapping.path.starts_with("/memfd:"))
      image.files.push_back({mapping.begin, mapping.end, mapping.offset, mapping.path});
    if (!is_copied(mapping)) continue;
    const bool sparse = !mapping.path.starts_with("/");
    const auto ranges = sparse ? present_ranges(pagemap.get(), mapping)
                               : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{mapping.begin, mapping.end}};
    for (const auto& [begin, end] : ranges) copy_range(process, begin, end, image, segments);
  }
  if (segments.empty())
    return Error{"the copy of the program at the aligned point cannot be read (process_vm_readv: " +
                     std::string(std::strerror(errno)) + "); allow ptrace of children",
                 ExitCode::Uncontrolled};
  image.set_segments(std::move(segments));
  read_auxiliary(process, image);
  if (Status read = read_threads(threads, image); !read) return read.error();
  return image;
}

void SnapshotSink::observe(std::span<const trace::Event> events) {
  for (const trace::Event& event : events) {
    if (event.kind != format::kFrozen) continue;
    const auto process = static_cast<std::int32_t>(event.object);
    image = read_process_snapshot(process, event.value);
    ::kill(process, SIGKILL);
  }
}

namespace {

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

std::string make_notes(const binary::CoreImage& image) {
  std::string notes;
  for (const binary::ImageThread& thread : image.threads) {
    prstatus_t status{};
    status.pr_pid = thread.id;
    user_regs_struct to{};
    const auto& from = thread.registers;
    to.rax = from[0], to.rdx = from[1], to.rcx = from[2], to.rbx = from[3], to.rsi = from[4], to.rdi = from[5];
    to.rbp = from[6], to.rsp = from[7], to.r8 = from[8], to.r9 = from[9], to.r10 = from[10], to.r11 = from[11];
    to.r12 = from[12], to.r13 = from[13], to.r14 = from[14], to.r15 = from[15], to.rip = from[16];
    to.cs = 0x33, to.ss = 0x2b, to.fs_base = thread.thread_pointer, to.orig_rax = ~0ull;
    std::memcpy(&status.pr_reg, &to, sizeof to);
    append_note(notes, NT_PRSTATUS, &status, sizeof status);
  }
  // By the entry gdb knows where a position-independent program lies.
  Elf64_Ehdr program{};
  std::uint64_t entry_point = 0;
  if (const binary::MappedFile* file = image.program_file(); file != nullptr && image.read(file->begin - file->offset, program))
    entry_point = program.e_entry + (program.e_type == ET_DYN ? file->begin - file->offset : 0);
  const std::uint64_t auxiliary[8] = {AT_PHDR, image.program_headers, AT_PHNUM, image.program_header_count,
                                      AT_ENTRY, entry_point,          AT_NULL,  0};
  append_note(notes, NT_AUXV, auxiliary, sizeof auxiliary);
  std::string files, names;
  const std::uint64_t counts[2] = {image.files.size(), kPage};
  append(files, counts, sizeof counts);
  for (const binary::MappedFile& file : image.files) {
    const std::uint64_t entry[3] = {file.begin, file.end, file.offset / kPage};
    append(files, entry, sizeof entry);
    names += file.path + '\0';
  }
  files += names;
  append_note(notes, NT_FILE, files.data(), files.size());
  return notes;
}

}  // namespace

Status write_core_file(const binary::CoreImage& image, const std::string& path) {
  const std::string notes = make_notes(image);
  const std::size_t count = image.segments().size() + 1;
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = ET_CORE;
  head.e_machine = EM_X86_64;
  head.e_version = EV_CURRENT;
  head.e_phoff = head.e_ehsize = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  if (count >= PN_XNUM) return Error{"the program has too many mappings to be written as a core"};
  head.e_phnum = static_cast<Elf64_Half>(count);
  std::string table;
  Elf64_Phdr note{};
  note.p_type = PT_NOTE;
  note.p_offset = sizeof head + count * sizeof note;
  note.p_filesz = notes.size();
  note.p_align = 4;
  append(table, &note, sizeof note);
  std::uint64_t offset = (note.p_offset + notes.size() + kPage - 1) / kPage * kPage;
  const std::uint64_t first = offset;
  for (const binary::CoreImage::Segment& segment : image.segments()) {
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
  for (const binary::CoreImage::Segment& segment : image.segments())
    file.write(reinterpret_cast<const char*>(segment.bytes), static_cast<std::streamsize>(segment.end - segment.begin));
  if (!file.flush()) return Error{"cannot write " + path};
  return ok_status();
}

}  // namespace heddle::run
